import type { Command } from 'commander';
import { expect, test } from '@jest/globals';
import { createProgram } from './program.ts';

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

test('every command, argument and option is described', () => {
  const commands = everyCommand(createProgram());
  expect(commands.length).toBeGreaterThan(15);
  const silent = commands.flatMap((command) => [
    ...(command.description() === '' ? [command.name()] : []),
    ...command.registeredArguments
      .filter(({ description }) => description === '')
      .map((argument) => `${command.name()} ${argument.name()}`),
    ...command.options
      .filter(({ description }) => description === '')
      .map((option) => `${command.name()} ${option.flags}`),
  ]);
  expect(silent).toEqual([]);
});
