import { loadProcessEnvironment, readDotEnv } from '@factmill/config';
import { readSettings, writeSetting } from '@factmill/database';
import { AppError } from '@factmill/errors';
import type { Command } from 'commander';
import { printTable } from './print-table.ts';
import { listSettingsInForce } from './settings-in-force.ts';
import { print, withDatabase } from './with-database.ts';

type Rule = Readonly<{ describe: string; parse: (text: string) => unknown }>;

function wholeNumber(minimum: number): Rule {
  return {
    describe: `a whole number from ${minimum}`,
    parse: (text) => (/^\d{1,9}$/.test(text) && Number(text) >= minimum ? Number(text) : undefined),
  };
}

/** The settings that can change while services run. They override the environment within seconds. */
const SETTINGS: Readonly<Record<string, Rule>> = {
  'queue.limit': wholeNumber(0),
  'queue.tenant_limit': wholeNumber(0),
  'retry.strategy': {
    describe: 'fixed or exponential',
    parse: (text) => (text === 'fixed' || text === 'exponential' ? text : undefined),
  },
  'retry.interval_ms': wholeNumber(1),
  'retry.max_interval_ms': wholeNumber(1),
};

/** `factmill config list · set · unset`: settings that apply at run time. */
export function addConfigCommands(program: Command): void {
  const config = program
    .command('config')
    .description(`settings changed at run time: ${Object.keys(SETTINGS).join(', ')}`);

  config
    .command('list')
    .description('show what was changed at run time')
    .option(
      '--all',
      'show every setting in force, with where its value comes from; keys and passwords stay hidden',
    )
    .action((options: { all?: true }) =>
      options.all
        ? listAll()
        : withDatabase(async ({ database }) => {
            const settings = Object.entries(await readSettings(database));
            for (const [key, value] of settings) print(`${key}\t${JSON.stringify(value)}`);
            if (settings.length === 0)
              print('Nothing was changed at run time; --all shows what is in force.');
          }),
    );

  config
    .command('set')
    .description('change a setting of all services, without a restart')
    .argument('<key>', `one of ${Object.keys(SETTINGS).join(', ')}`)
    .argument('<value>', 'the new value')
    .action((key: string, value: string) =>
      withDatabase(async ({ database }) => {
        const rule = ruleOf(key);
        const parsed = rule.parse(value);
        if (parsed === undefined) throw new AppError('config_invalid', `${key} must be ${rule.describe}.`);
        await writeSetting(database, key, parsed);
        print(`${key} is ${value} now. Services follow within seconds.`);
      }),
    );

  config
    .command('unset')
    .description('give a setting back to the environment')
    .argument('<key>', 'the setting')
    .action((key: string) =>
      withDatabase(async ({ database }) => {
        ruleOf(key);
        await writeSetting(database, key, null);
        print(`${key} is what the environment of each service says. Services follow within seconds.`);
      }),
    );
}

async function listAll(): Promise<void> {
  const dotEnv = readDotEnv('.env');
  const environment = loadProcessEnvironment();
  const settings =
    (environment['DATABASE_URL'] ?? '') === ''
      ? {}
      : await withDatabase(({ database }) => readSettings(database));
  const rows = listSettingsInForce({ environment, dotEnv, settings });
  printTable(
    ['setting', 'value', 'from'],
    rows.map(({ name, value, source }) => [name, value, source]),
  );
}

function ruleOf(key: string): Rule {
  const rule = SETTINGS[key];
  if (rule === undefined || !Object.hasOwn(SETTINGS, key)) {
    throw new AppError(
      'config_invalid',
      `There is no setting of this name; known are ${Object.keys(SETTINGS).join(', ')}.`,
    );
  }
  return rule;
}
