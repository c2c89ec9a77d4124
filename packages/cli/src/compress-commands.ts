import { type Compression, type CompressionDetails, userIdSchema } from '@factmill/contracts';
import { AppError } from '@factmill/errors';
import type { CompressionDecision } from '@factmill/extraction';
import { type Command, InvalidArgumentError } from 'commander';
import { setTimeout as delay } from 'node:timers/promises';
import type { Operator } from './operator.ts';
import { renderDecisions, renderRun } from './render-compression.ts';
import { print } from './with-database.ts';
import { withOperator } from './with-operator.ts';

type CompressOptions = Readonly<{
  user: string;
  tenant?: string;
  date?: string;
  dryRun?: true;
  timeout: number;
}>;

const POLL_MS = 250;

/** When no extractor has started a run after this long, the command says what it waits for. */
const HINT_AFTER_MS = 15_000;

const ABOUT: Readonly<Record<Compression['kind'], string>> = {
  daily: 'turn the events of a day, and those before it, into facts',
  weekly: 'merge knowledge, refresh the profile, archive what has faded',
};

/** `factmill compress daily · weekly · runs`. */
export function addCompressCommands(program: Command): void {
  const compress = program.command('compress').description('compression of memories, by hand');

  for (const kind of ['daily', 'weekly'] as const) {
    compress
      .command(kind)
      .description(`${ABOUT[kind]}, for one user; running extractors do the work`)
      .requiredOption('--user <id>', 'whose memories', parseUser)
      .option('--tenant <name>', 'default when left out; needs DATABASE_URL')
      .option('--date <date>', 'last day to cover, YYYY-MM-DD; yesterday when left out', parseDate)
      .option('--dry-run', 'show what would change, and change nothing')
      .option('--timeout <seconds>', 'how long to wait for the end', parseSeconds, 600)
      .action((options: CompressOptions, command: Command) =>
        withOperator(command, ({ compressions }) => runByHand(compressions, kind, options)),
      );
  }

  compress
    .command('runs')
    .description('the latest runs, newest first: id, user, kind, last day covered, state, what changed')
    .option('--user <id>', 'of one user only', parseUser)
    .option('--tenant <name>', 'default when left out; needs DATABASE_URL')
    .action((options: { user?: string; tenant?: string }, command: Command) =>
      withOperator(command, async ({ compressions }) => {
        for (const run of await compressions.list(options.user, options.tenant)) print(renderRun(run));
      }),
    );
}

type Compressions = Operator['compressions'];

async function runByHand(
  compressions: Compressions,
  kind: Compression['kind'],
  options: CompressOptions,
): Promise<void> {
  const wanted = {
    userId: options.user,
    kind,
    date: options.date,
    dryRun: options.dryRun === true,
  };
  const { outcome, compression } = await compressions.start(wanted, options.tenant);
  if (compression === null) {
    print('This user has no memories: there is nothing to compress.');
    return;
  }
  if (outcome === 'restarted')
    print('The last attempt failed. The run continues, with the model replies that it already has.');
  if (outcome === 'known' && compression.state === 'done') print('This period is compressed already:');
  show(await untilEnded(compressions, compression.id, options));
}

async function untilEnded(
  compressions: Compressions,
  id: string,
  { timeout, tenant }: CompressOptions,
): Promise<CompressionDetails> {
  const startedAt = performance.now();
  let hinted = false;
  for (;;) {
    const run = await compressions.get(id, tenant);
    if (run.finished_at !== null) return run;
    const waitedMs = performance.now() - startedAt;
    if (!hinted && waitedMs > HINT_AFTER_MS && run.state === 'pending') {
      hinted = true;
      print(run.error?.message ?? 'No extractor has taken the run yet: one has to be running.');
    }
    if (waitedMs > timeout * 1_000) {
      throw new AppError(
        'overloaded',
        `The run ${id} has not ended yet and goes on by itself; factmill compress runs shows it.`,
      );
    }
    await delay(POLL_MS);
  }
}

function show(run: CompressionDetails): void {
  // The contract only says that they are objects; the compression of this version wrote them.
  for (const line of renderDecisions(run.decisions as CompressionDecision[], run.contents)) print(line);
  print(renderRun(run));
  if (run.state === 'failed')
    throw new AppError('state_conflict', run.error?.message ?? 'The run has failed.');
  if (run.state === 'proposed') print('Nothing was changed.');
}

function parseUser(id: string): string {
  if (!userIdSchema.safeParse(id).success)
    throw new InvalidArgumentError('give 1 to 256 printable characters');
  return id;
}

function parseDate(text: string): string {
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text) && new Date(text).toJSON()?.slice(0, 10) === text;
  if (!isDate) throw new InvalidArgumentError('give a date as YYYY-MM-DD');
  return text;
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!Number.isInteger(seconds) || seconds < 1) throw new InvalidArgumentError('give whole seconds from 1');
  return seconds;
}
