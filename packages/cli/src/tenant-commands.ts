import {
  type Budget,
  budgetsSchema,
  nameSchema,
  type PresetName,
  presetNameSchema,
  type Tenant,
} from '@factmill/contracts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { TenantSettings } from './operator.ts';
import { parseWhole } from './parse-whole.ts';
import { printTable } from './print-table.ts';
import { withOperator } from './with-operator.ts';

type Options = Readonly<{
  preset?: PresetName | 'none';
  keyRate?: number;
  rate?: number;
  budget?: readonly Budget[] | null;
}>;

const COLUMNS = ['id', 'name', 'created', 'preset', 'points/s of a key', 'points/s', 'budgets'];

/** `factmill tenants list · create · set`. */
export function addTenantCommands(program: Command): void {
  const tenants = program.command('tenants').description('tenants, with their presets and limits');

  tenants
    .command('list')
    .description('show all tenants')
    .action((_options: object, command: Command) =>
      withOperator(command, async (operator) => {
        const rows: string[][] = [];
        for await (const tenant of operator.tenants.list()) rows.push(toCells(tenant));
        printTable(COLUMNS, rows);
      }),
    );

  withSettings(
    tenants.command('create').description('create a tenant').argument('<name>', 'of it', parseName),
  ).action((name: string, options: Options, command: Command) =>
    withOperator(command, async (operator) => {
      printTable(COLUMNS, [toCells(await operator.tenants.create(name, toSettings(options)))]);
    }),
  );

  withSettings(
    tenants
      .command('set')
      .description('change what is set for a tenant; what is left out stays')
      .argument('<name>', 'of the tenant'),
  ).action((name: string, options: Options, command: Command) =>
    withOperator(command, async (operator) => {
      printTable(COLUMNS, [toCells(await operator.tenants.set(name, toSettings(options)))]);
    }),
  );
}

function withSettings(command: Command): Command {
  return command
    .addOption(
      new Option('--preset <name>', 'where nothing nearer has one; none for the deployment’s').choices([
        ...presetNameSchema.options,
        'none',
      ]),
    )
    .option('--key-rate <points>', 'points a second of each key; 0 for no limit', parseWhole(0, 1_000_000))
    .option(
      '--rate <points>',
      'points a second of all keys together; 0 for no limit',
      parseWhole(0, 1_000_000),
    )
    .option(
      '--budget <list>',
      'all its budgets, such as day:tokens:100000,month:cost:25, or none; over one, extractions wait',
      parseBudgets,
    );
}

function toSettings({ preset, keyRate, rate, budget }: Options): TenantSettings {
  const limits = {
    ...(keyRate === undefined ? {} : { key_per_second: keyRate }),
    ...(rate === undefined ? {} : { tenant_per_second: rate }),
  };
  return {
    ...(preset === undefined ? {} : { default_preset: preset === 'none' ? null : preset }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
    ...(budget === undefined ? {} : { budgets: [...(budget ?? [])] }),
  };
}

function toCells(tenant: Tenant): string[] {
  const { id, name, created_at: createdAt, default_preset: preset, limits, budgets } = tenant;
  const rate = (perSecond: number | undefined) => (perSecond === undefined ? '-' : String(perSecond));
  return [
    id,
    name,
    createdAt.slice(0, 10),
    preset ?? '-',
    rate(limits.key_per_second),
    rate(limits.tenant_per_second),
    budgets.map(({ period, unit, amount, spent }) => `${period} ${spent}/${amount} ${unit}`).join(', ') ||
      '-',
  ];
}

function parseBudgets(list: string): readonly Budget[] | null {
  if (list === 'none') return null;
  const given = list.split(',').map((text) => {
    const [period, unit, amount = ''] = text.split(':');
    return { period, unit, amount: amount === '' ? Number.NaN : Number(amount) };
  });
  const parsed = budgetsSchema.safeParse(given);
  if (!parsed.success)
    throw new InvalidArgumentError('give period:unit:amount, of day or month and tokens or cost, each once');
  return parsed.data;
}

function parseName(name: string): string {
  if (!nameSchema.safeParse(name).success)
    throw new InvalidArgumentError('give 1 to 128 printable characters');
  return name;
}
