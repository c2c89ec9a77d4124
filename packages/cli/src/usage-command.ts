import { type Usage, type UsageDimension, usageDimensionsOf, usageQuerySchema } from '@factmill/contracts';
import { type Command, InvalidArgumentError } from 'commander';
import { printTable } from './print-table.ts';
import { print } from './with-database.ts';
import { withOperator } from './with-operator.ts';

type Options = Readonly<{ by: UsageDimension[]; since?: string; until?: string; tenant?: string }>;

/** `factmill usage`: tokens and cost of model calls. */
export function addUsageCommand(program: Command): void {
  program
    .command('usage')
    .description('show tokens and cost of model calls')
    .option('--by <list>', 'comma-separated, of day, user, model, purpose', parseBy, [
      'day',
      'model',
      'purpose',
    ])
    .option('--since <day>', 'the first day, such as 2026-11-21', parseDay)
    .option('--until <day>', 'the last day', parseDay)
    .option('--tenant <name>', 'whose; needs DATABASE_URL')
    .action(async ({ by, since, until, tenant }: Options, command: Command) => {
      const rows = await withOperator(command, (operator) =>
        operator.usage({ groupBy: by, since, until }, tenant),
      );
      if (rows.length === 0) print('No model was called.');
      else
        printTable(
          [...by, 'calls', 'input', 'output', 'cost'],
          rows.map((row) => toCells(row, by)),
        );
    });
}

function toCells(row: Usage, by: readonly UsageDimension[]): string[] {
  const named: Readonly<Record<UsageDimension, string | null | undefined>> = {
    tenant: row.tenant_id,
    day: row.day,
    user: row.user_id,
    model: row.model,
    purpose: row.purpose,
  };
  return [
    ...by.map((dimension) => named[dimension] ?? '-'),
    String(row.calls),
    String(row.input_tokens),
    String(row.output_tokens),
    row.cost === null ? '-' : row.cost.toFixed(4),
  ];
}

function parseBy(list: string): UsageDimension[] {
  const parsed = usageQuerySchema.shape.group_by.safeParse(list);
  if (!parsed.success || parsed.data.includes('tenant'))
    throw new InvalidArgumentError('known are day, user, model and purpose');
  return usageDimensionsOf(parsed.data);
}

function parseDay(text: string): string {
  if (!usageQuerySchema.shape.since.safeParse(text).success)
    throw new InvalidArgumentError('give a day such as 2026-11-21');
  return text;
}
