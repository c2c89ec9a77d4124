import {
  isUserSetting,
  loadProcessEnvironment,
  readDotEnv,
  readUserConfiguration,
  USER_SETTINGS,
  userConfigurationPath,
  writeUserSetting,
} from '@factmill/config';
import { readSettings } from '@factmill/database';
import type { Command } from 'commander';
import { findTarget } from './find-target.ts';
import { printTable } from './print-table.ts';
import { listSettingsInForce } from './settings-in-force.ts';
import { print, withDatabase } from './with-database.ts';
import { withOperator } from './with-operator.ts';

const OWN = Object.entries(USER_SETTINGS)
  .map(([key, what]) => `${key} (${what})`)
  .join(', ');

/** `factmill config list · set · unset`: settings that services read at run time, and the person's own. */
export function addConfigCommands(program: Command): void {
  const config = program.command('config').description(`settings changed at run time, and your own: ${OWN}`);

  config
    .command('list')
    .description('show what was changed at run time, and your own settings')
    .option(
      '--all',
      'show every setting in force, with where its value comes from; keys and passwords stay hidden',
    )
    .action((options: { all?: true }, command: Command) => (options.all ? listAll(command) : list(command)));

  config
    .command('set')
    .description('change a setting of all services, without a restart, or one of your own')
    .argument('<key>', `user_id, url, or what config list --all calls changeable at run time`)
    .argument('<value>', 'the new value')
    .action(async (key: string, value: string, _options: object, command: Command) => {
      if (isUserSetting(key)) {
        print(`${key} is ${value} now, in ${writeUserSetting(loadProcessEnvironment(), key, value)}.`);
        return;
      }
      await withOperator(command, ({ settings }) => settings.set(key, value));
      print(`${key} is ${value} now. Services follow within seconds.`);
    });

  config
    .command('unset')
    .description('give a setting back to the environment, or forget one of your own')
    .argument('<key>', 'the setting')
    .action(async (key: string, _options: object, command: Command) => {
      if (isUserSetting(key)) {
        print(`${key} is not set any more, in ${writeUserSetting(loadProcessEnvironment(), key, null)}.`);
        return;
      }
      await withOperator(command, ({ settings }) => settings.unset(key));
      print(`${key} is what the environment of each service says. Services follow within seconds.`);
    });
}

async function list(command: Command): Promise<void> {
  const environment = loadProcessEnvironment();
  const own = Object.entries(readUserConfiguration(environment));
  for (const [key, value] of own) print(`${key}\t${JSON.stringify(value)}`);
  // A person's own settings are there without any instance.
  if (own.length > 0 && findTarget(command.optsWithGlobals<{ url?: string }>().url, environment) === null)
    return;
  const changed = await withOperator(command, async ({ settings }) =>
    (await settings.list()).filter(({ source }) => source === 'run_time'),
  );
  for (const { key, value } of changed) print(`${key}\t${JSON.stringify(value)}`);
  if (own.length + changed.length === 0) {
    print('Nothing was changed at run time; --all shows what is in force.');
  }
}

/** By the API what can change at run time; beside the services, with their environment, everything. */
async function listAll(command: Command): Promise<void> {
  const dotEnv = readDotEnv('.env');
  const environment = loadProcessEnvironment();
  const target = findTarget(command.optsWithGlobals<{ url?: string }>().url, environment);
  const own = Object.entries(readUserConfiguration(environment)).map(([name, value]) => [
    name,
    String(value),
    userConfigurationPath(environment),
  ]);
  if (target?.kind === 'api') {
    const settings = await withOperator(command, (operator) => operator.settings.list());
    const rows = settings.map(({ key, value, source }) => [
      key,
      String(value),
      source === 'run_time' ? 'config set, at run time' : 'environment of the instance',
    ]);
    printTable(['setting', 'value', 'from'], [...rows, ...own]);
    return;
  }
  const settings = target === null ? {} : await withDatabase(({ database }) => readSettings(database));
  const rows = listSettingsInForce({ environment, dotEnv, settings });
  printTable(
    ['setting', 'value', 'from'],
    [...rows.map(({ name, value, source }) => [name, value, source]), ...own],
  );
}
