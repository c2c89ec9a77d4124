import { beforeAll, expect, test } from '@jest/globals';
import { createPool, DEFAULT_TENANT_ID, migrate } from '@factmill/database';
import { createScriptedModel, type ScriptedModel, startProcess, waitFor } from '@factmill/testkit';
import { openTestDatabase } from '@factmill/testkit/jest';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { v7 as uuidv7 } from 'uuid';

// Each command is a process of its own, which takes a second of a processor to start.
const ENTRY = fileURLToPath(new URL('./main.ts', import.meta.url));

const { database, connectionString, beforeClose } = await openTestDatabase(
  { createPool, migrate },
  { max: 1 },
);
let server: ScriptedModel;
let cwd: string;

beforeAll(async () => {
  server = await createScriptedModel({ dimensions: 16 });
  cwd = await mkdtemp(join(tmpdir(), 'factmill-cli-'));
});
beforeClose(async () => {
  await server.close();
  await rm(cwd, { recursive: true, force: true });
});

function start(args: string, model: string) {
  const env = {
    DATABASE_URL: connectionString,
    EMBEDDING_BASE_URL: server.url,
    EMBEDDING_MODEL: model,
  };
  return startProcess({ entry: ENTRY, args: args.split(' '), env, cwd });
}

async function factmill(args: string, model: string) {
  const child = await start(args, model);
  const { code } = await child.exit;
  return { code, lines: child.output().trim().split('\n') };
}

async function remember(count: number): Promise<void> {
  const ids = Array.from({ length: count }, () => uuidv7());
  await database.query(
    `insert into memories (id, tenant_id, user_id, kind, content, source, content_hash, stated_at, valid_from)
     select g.id, $2::uuid, 'maya', 'note', 'note ' || g.id, 'test', sha256(convert_to('note ' || g.id, 'UTF8')), now(), now()
     from unnest($1::uuid[]) as g (id)`,
    [ids, DEFAULT_TENANT_ID],
  );
}

/** Vectors by model, and models by state. */
async function standing() {
  const { rows } = await database.query<{ id: string; state: string; vectors: number }>(
    `select m.id, m.state, (select count(*)::integer from memory_embeddings e where e.model = m.id) as vectors
     from embedding_models m order by m.id`,
  );
  return Object.fromEntries(rows.map(({ id, state, vectors }) => [id, `${state} ${vectors}`]));
}

function asked(model: string): string[] {
  return server.calls
    .filter(({ body }) => body['model'] === model)
    .flatMap(({ body }) => body['input'] as string[])
    .filter((text) => text.startsWith('note'));
}

/** The steps of an operator, one after the other. */
test('backfill fills what is missing once; reembed counts, builds beside it, goes on after an interruption; drop-old', async () => {
  await remember(20);
  const first = await factmill('backfill --batch-size 8 --pause-ms 1', 'old');
  expect(first.lines).toEqual(['8 vectors', '16 vectors', '20 vectors', 'Done: 20 vectors of old@16.']);
  expect((await factmill('backfill', 'old')).lines).toEqual(['No vector was missing.']);
  expect(asked('old')).toHaveLength(20);
  expect(await standing()).toEqual({ 'old@16': 'active 20' });
  expect((await factmill('backfill --tenant nobody', 'old')).code).toBe(1);
  expect((await factmill('reembed', 'old')).lines[0]).toMatch(/^old@16 is in use already/);

  await remember(200);
  const dry = await factmill('reembed --dry-run', 'new');
  expect(dry.lines).toEqual([
    'Model in use: old@16',
    'Configured:   new@16, 16 dimensions',
    'Memories:     220 of 220 to embed',
    'Documents:    0 of 0 parts to embed',
    'Batches:      4 of up to 64 texts',
    'Tokens:       about 2255',
    'Nothing was changed.',
  ]);
  expect(await standing()).toEqual({ 'old@16': 'active 20' });

  server.setReply(({ body }) => ({ delayMs: (body['input'] as string[]).length > 1 ? 200 : 0 }));
  const interrupted = await start('reembed', 'new');
  await waitFor(async () => (await standing())['new@16'] === 'building 64', { describe: 'the first page' });
  await interrupted.kill('SIGTERM');
  expect((await interrupted.exit).code).toBe(1);
  expect(interrupted.output()).toContain('Interrupted. The same command goes on where it was.');
  server.setReply(() => undefined);
  const second = await factmill('reembed --wait 0', 'new');
  expect(second.code).toBe(0);
  expect(second.lines.join('\n')).toMatch(/220 of 220 vectors.*\nAll vectors are there\. Give all services/s);
  // The interrupted batch is asked again; stored vectors are not.
  expect(asked('new').length).toBeLessThan(220 + 65);
  expect(new Set(asked('new')).size).toBe(220);
  expect(await standing()).toEqual({ 'new@16': 'building 220', 'old@16': 'active 20' });

  expect((await factmill('reembed --drop-old', 'new')).lines).toEqual(['There are no old vectors.']);
  expect((await factmill('reembed --drop-old', 'old')).lines).toEqual(['new@16: 220 vectors deleted.']);
  expect(await standing()).toEqual({ 'new@16': 'retired 0', 'old@16': 'active 20' });
});
