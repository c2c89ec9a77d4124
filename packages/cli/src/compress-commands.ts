import { loadConfig, loadProcessEnvironment } from '@factmill/config';
import { userIdSchema } from '@factmill/contracts';
import {
  type CompressionKind,
  type CompressionRun,
  findCompressionRun,
  findRunOfPeriod,
  findTenantId,
  hasMemories,
  insertCompressionRuns,
  listCompressionRuns,
  type OpenCompressionRun,
  readContents,
  restartCompressionRun,
  type Sql,
} from '@factmill/database';
import { AppError } from '@factmill/errors';
import { addDays, localDateOf, periodOf } from '@factmill/extraction';
import { compressJob, createQueues, queueConfigOf } from '@factmill/queue';
import { externalStorage } from '@factmill/runtime';
import type { Logger } from '@factmill/telemetry';
import { type Command, InvalidArgumentError } from 'commander';
import { setTimeout as delay } from 'node:timers/promises';
import { v7 as newId } from 'uuid';
import { decisionsOf, memoryIdsOf, renderDecisions, renderRun } from './render-compression.ts';
import { print, withDatabase } from './with-database.ts';

type CompressOptions = Readonly<{
  user: string;
  tenant: string;
  date?: string;
  dryRun?: true;
  timeout: number;
}>;

const POLL_MS = 250;

/** When no extractor has started a run after this long, the command says what it waits for. */
const HINT_AFTER_MS = 15_000;

const ABOUT: Readonly<Record<CompressionKind, string>> = {
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
      .option('--tenant <name>', 'tenant', 'default')
      .option('--date <date>', 'last day to cover, YYYY-MM-DD; yesterday when left out', parseDate)
      .option('--dry-run', 'show what would change, and change nothing')
      .option('--timeout <seconds>', 'how long to wait for the end', parseSeconds, 600)
      .action((options: CompressOptions) =>
        withDatabase(({ database, logger }) => runByHand(database, logger, kind, options)),
      );
  }

  compress
    .command('runs')
    .description('the latest runs, newest first: id, user, kind, last day covered, state, what changed')
    .option('--user <id>', 'of one user only', parseUser)
    .option('--tenant <name>', 'tenant', 'default')
    .action((options: { user?: string; tenant: string }) =>
      withDatabase(async ({ database }) => {
        const tenantId = await tenantNamed(database, options.tenant);
        const filter = { tenantId, userId: options.user ?? null, limit: 50 };
        for (const run of await listCompressionRuns(database, filter)) print(renderRun(run));
      }),
    );
}

async function runByHand(
  database: Sql,
  logger: Logger,
  kind: CompressionKind,
  options: CompressOptions,
): Promise<void> {
  const tenantId = await tenantNamed(database, options.tenant);
  if (!(await hasMemories(database, { tenantId, userId: options.user }))) {
    print('This user has no memories: there is nothing to compress.');
    return;
  }
  const { timeZone } = loadConfig(loadProcessEnvironment());
  const now = new Date();
  const { date, until } = periodOf(options.date ?? addDays(localDateOf(now, timeZone), -1), now, timeZone);
  const wanted = {
    id: newId(),
    tenantId,
    userId: options.user,
    kind,
    period: date,
    until,
    dryRun: options.dryRun === true,
  };
  const [added] = await insertCompressionRuns(database, [wanted]);
  const standing = added === undefined ? await findRunOfPeriod(database, wanted) : undefined;
  const open = added ?? (standing?.state === 'failed' ? await restart(database, standing) : standing);
  if (open === undefined) throw new AppError('not_found', 'The run is gone; start it again.');
  if (standing?.state === 'done') print('This period is compressed already:');
  else await enqueue(open, logger);
  await show(database, await untilEnded(database, open, options.timeout * 1_000));
}

async function restart(database: Sql, run: CompressionRun): Promise<OpenCompressionRun | undefined> {
  print('The last try failed; it goes on with the answers it has.');
  return restartCompressionRun(database, run.tenantId, run.id);
}

/** Only for speed: an extractor also finds the run in the ledger. */
async function enqueue(run: OpenCompressionRun, logger: Logger): Promise<void> {
  const config = loadConfig(loadProcessEnvironment());
  const queues = await createQueues(queueConfigOf(config, externalStorage(config)), {
    logger,
    clock: Date.now,
  });
  try {
    await queues.enqueue([compressJob(run)]);
  } catch {
    print('The queue does not answer; an extractor will find the run in the database.');
  } finally {
    await queues.close();
  }
}

async function untilEnded(
  database: Sql,
  { id, tenantId }: Pick<OpenCompressionRun, 'id' | 'tenantId'>,
  timeoutMs: number,
): Promise<CompressionRun> {
  const startedAt = performance.now();
  let hinted = false;
  for (;;) {
    const run = await findCompressionRun(database, tenantId, id);
    if (run === undefined) throw new AppError('not_found', 'The run is gone.');
    if (run.finishedAt !== null) return run;
    const waitedMs = performance.now() - startedAt;
    if (!hinted && waitedMs > HINT_AFTER_MS && run.state === 'pending') {
      hinted = true;
      print(run.errorMessage ?? 'No extractor has taken the run yet: one has to be running.');
    }
    if (waitedMs > timeoutMs) {
      throw new AppError(
        'overloaded',
        `The run ${id} has not ended yet and goes on by itself; factmill compress runs shows it.`,
      );
    }
    await delay(POLL_MS);
  }
}

async function show(database: Sql, run: CompressionRun): Promise<void> {
  const decisions = decisionsOf(run);
  const contents = await readContents(database, run, memoryIdsOf(decisions));
  for (const line of renderDecisions(decisions, contents)) print(line);
  print(renderRun(run));
  if (run.state === 'failed') throw new AppError('state_conflict', run.errorMessage ?? 'The run has failed.');
  if (run.state === 'proposed') print('Nothing was changed.');
}

async function tenantNamed(database: Sql, name: string): Promise<string> {
  const id = await findTenantId(database, name);
  if (id === undefined) throw new AppError('not_found', 'There is no tenant with this name.');
  return id;
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
