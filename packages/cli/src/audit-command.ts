import { AppError } from '@factmill/errors';
import { type Command, InvalidArgumentError } from 'commander';
import { print } from './with-database.ts';
import { withOperator } from './with-operator.ts';

type Options = Readonly<{ tenant?: string; known?: Readonly<{ number: number; hash: string }> }>;

/** `factmill audit verify`: whether the audit of a tenant is as it was written. */
export function addAuditCommand(program: Command): void {
  program
    .command('audit')
    .description('the record of who did what to whom')
    .command('verify')
    .description(
      'look for the first record that was changed, removed or moved; exits with 1 when there is one',
    )
    .option('--known <number:hash>', 'a record seen earlier, which still has to be there', parseKnown)
    .option('--tenant <name>', 'default when left out; needs DATABASE_URL')
    .action(async ({ known, tenant }: Options, command: Command) => {
      const { problem, records, last } = await withOperator(command, ({ audit }) =>
        audit.verify(known ?? null, tenant),
      );
      if (problem !== null) {
        throw new AppError(
          'state_conflict',
          `The audit is broken: record ${problem.number} was ${problem.kind}. The ${records} before it are in order.`,
        );
      }
      print(`${records} records, all in order. The last one: ${last.number}:${last.hash}`);
    });
}

function parseKnown(text: string): { number: number; hash: string } {
  const [, number, hash] = /^([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (number === undefined || hash === undefined) {
    throw new InvalidArgumentError('give what an earlier run has printed, such as 17:9f86…');
  }
  return { number: Number(number), hash };
}
