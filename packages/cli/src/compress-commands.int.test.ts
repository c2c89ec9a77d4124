import { beforeAll, expect, test } from '@jest/globals';
import { createPool, DEFAULT_TENANT_ID, migrate } from '@factmill/database';
import { type RunningProcess, startProcess } from '@factmill/testkit';
import { openTestDatabase } from '@factmill/testkit/jest';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { v7 as uuidv7 } from 'uuid';

const ENTRY = fileURLToPath(new URL('./main.ts', import.meta.url));
const EXTRACTOR = fileURLToPath(new URL('../../../services/extractor/src/main.ts', import.meta.url));

const { database, connectionString, beforeClose } = await openTestDatabase(
  { createPool, migrate },
  { max: 1 },
);
let extractor: RunningProcess;
let cwd: string;

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'factmill-cli-'));
  // Without Redis and without a model: the queue is in the same database.
  extractor = await startProcess({
    entry: EXTRACTOR,
    cwd,
    env: {
      DATABASE_URL: connectionString,
      EXTRACTOR_PORT: '0',
      EMBEDDING_PROVIDER: 'none',
      COMPRESS_DAILY_AT: 'off',
      COMPRESS_WEEKLY_AT: 'off',
    },
  });
});
beforeClose(async () => {
  await extractor.kill('SIGTERM');
  await rm(cwd, { recursive: true, force: true });
});

async function factmill(args: string) {
  const env = { DATABASE_URL: connectionString };
  const child = await startProcess({ entry: ENTRY, args: args.split(' '), env, cwd });
  const { code } = await child.exit;
  return { code, lines: child.output().trim().split('\n') };
}

async function remember(category: string, content: string, daysAgo: number): Promise<string> {
  const id = uuidv7();
  await database.query(
    `insert into memories (id, tenant_id, user_id, kind, category, content, source, content_hash, stated_at, valid_from)
     values ($1::uuid, $2::uuid, 'maya', 'note', $3::text, $4::text, 'test', sha256($4::text::bytea),
       now() - $5::integer * interval '1 day', now())`,
    [id, DEFAULT_TENANT_ID, category, content, daysAgo],
  );
  return id;
}

async function currentIds(): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    'select id from memories where is_current order by id',
  );
  return rows.map(({ id }) => id);
}

test('a dry run prints the diff and changes nothing; the run itself makes it true, once', async () => {
  const faded = await remember('debug', 'The build is red.', 40);
  const kept = await remember('debug', 'The build is green.', 1);
  const proposal = await factmill('compress weekly --user maya --date 2026-05-10 --dry-run');
  expect(proposal.code).toBe(0);
  expect(proposal.lines).toEqual([
    `- faded: [${faded}] The build is red.`,
    expect.stringMatching(/\tmaya\tweekly\t2026-05-10\tproposed\t1 archived$/),
    'Nothing was changed.',
  ]);
  expect(await currentIds()).toEqual([faded, kept]);

  const run = await factmill('compress weekly --user maya --date 2026-05-10');
  expect(run).toEqual({
    code: 0,
    lines: [proposal.lines[0], expect.stringMatching(/\tmaya\tweekly\t2026-05-10\tdone\t1 archived$/)],
  });
  expect(await currentIds()).toEqual([kept]);

  const again = await factmill('compress weekly --user maya --date 2026-05-10');
  expect(again).toEqual({ code: 0, lines: ['This period is compressed already:', ...run.lines] });

  const listed = await factmill('compress runs --user maya');
  expect(listed.lines).toEqual([run.lines[1], proposal.lines[1]]);
  expect((await factmill('compress runs --user nobody')).lines).toEqual(['']);
});

test('a failed run is started again', async () => {
  await remember('note', 'The user sails.', 3);
  await database.query(
    `insert into compression_runs (id, tenant_id, user_id, kind, period, until_at, state, error_class, finished_at)
     values ($1::uuid, $2::uuid, 'maya', 'daily', '2026-05-11', now(), 'failed', 'bad_reply', now())`,
    [uuidv7(), DEFAULT_TENANT_ID],
  );
  const run = await factmill('compress daily --user maya --date 2026-05-11');
  expect(run).toEqual({
    code: 0,
    lines: [
      'The last attempt failed. The run continues, with the model replies that it already has.',
      expect.stringMatching(/\tdone\tnothing to do$/),
    ],
  });
});

test.each([
  ['compress daily', 'required option'],
  ['compress daily --user maya --date 2026-02-30', 'YYYY-MM-DD'],
  ['compress daily --user maya --tenant nowhere', 'There is no tenant with this name.'],
])('%s is refused', async (args, reason) => {
  const { code, lines } = await factmill(args);
  expect([code, lines.join('\n')]).toEqual([1, expect.stringContaining(reason)]);
});

test('a user without memories leaves nothing in the ledger', async () => {
  const { code, lines } = await factmill('compress weekly --user nobody-here --dry-run');
  expect(code).toBe(0);
  expect(lines).toEqual(['This user has no memories: there is nothing to compress.']);
  const { rows } = await database.query(`select from compression_runs where user_id = 'nobody-here'`);
  expect(rows).toEqual([]);
});
