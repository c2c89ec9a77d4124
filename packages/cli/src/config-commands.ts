import { readSettings, writeSetting } from '@factmill/database';
import { AppError } from '@factmill/errors';
import type { Command } from 'commander';
import { print, withDatabase } from './with-database.ts';

type Rule = Readonly<{ describe: string; parse: (text: string) => unknown }>;

function wholeNumber(minimum: number): Rule {
  return {
    describe: `a whole number from ${minimum}`,
    parse: (text) => (/^\d{1,9}$/.test(text) && Number(text) >= minimum ? Number(text) : undefined),
  };
}

/** What can be changed while services run. Values win over the environment within seconds. */
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

  config.command('list').action(() =>
    withDatabase(async ({ database }) => {
      for (const [key, value] of Object.entries(await readSettings(database)))
        print(`${key}\t${JSON.stringify(value)}`);
    }),
  );

  config.command('set <key> <value>').action((key: string, value: string) =>
    withDatabase(async ({ database }) => {
      const rule = ruleOf(key);
      const parsed = rule.parse(value);
      if (parsed === undefined) throw new AppError('config_invalid', `${key} has to be ${rule.describe}.`);
      await writeSetting(database, key, parsed);
    }),
  );

  config.command('unset <key>').action((key: string) =>
    withDatabase(async ({ database }) => {
      ruleOf(key);
      await writeSetting(database, key, null);
    }),
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
