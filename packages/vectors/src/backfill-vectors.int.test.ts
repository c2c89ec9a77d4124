import { DEFAULT_TENANT_ID, saveEmbeddings } from '@factmill/database';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { backfillVectors } from './backfill-vectors.ts';
import { checkVectors } from './check-vectors.ts';
import { openVectorStand, texts, type VectorStand } from './vectors.fixture.ts';

const OTHER_TENANT = '00000000-0000-7000-8000-000000000002';
const never = new AbortController().signal;
let stand: VectorStand;
let model: string;

beforeEach(async () => {
  stand = await openVectorStand();
  model = await stand.register('only-8');
  await stand.database.query(`insert into tenants (id, name) values ($1::uuid, 'other')`, [OTHER_TENANT]);
});
afterEach(() => stand.close());

async function backfill(options: Readonly<{ tenantId?: string; batchSize?: number }> = {}) {
  let pauses = 0;
  const counts = await backfillVectors(
    {
      database: stand.database,
      embedder: stand.embedderOf('only-8'),
      model,
      pause: async () => {
        pauses += 1;
      },
      onProgress: () => undefined,
    },
    { tenantId: options.tenantId ?? null, batchSize: options.batchSize ?? 8 },
    never,
  );
  return { ...counts, pauses };
}

async function waiting(): Promise<string[]> {
  const { rows } = await stand.database.query<{ content: string }>(
    `select content from memories where embedding_pending_since is not null
     union all select content from document_chunks where embedding_pending_since is not null order by content`,
  );
  return rows.map(({ content }) => content);
}

/** Ten notes of which the first three have their vector and the third is stale, and a document. */
async function gaps(): Promise<void> {
  const notes = texts(10);
  const ids = await stand.remember(notes);
  await stand.embed(
    'only-8',
    Object.fromEntries(ids.slice(0, 3).map((id, index) => [id, notes[index] ?? ''])),
  );
  await stand.database.query(
    `update memories set content = 'a new text', content_hash = sha256('a new text') where id = $1::uuid`,
    [ids[2]],
  );
  await stand.document(['A part.']);
  stand.server.reset();
}

const COMPLETE = ['A part.', 'a new text', ...texts(10).filter((_, n) => n !== 2)].sort();

describe('backfill', () => {
  test('fills what is missing, in id order, in batches with a rest between them; twice is once', async () => {
    await gaps();
    expect(await backfill({ batchSize: 3 })).toEqual({ stored: 9, refused: 0, pauses: 3 });
    const asked = stand.asked('only-8');
    expect(asked).toEqual(['a new text', ...texts(10).slice(3), 'A part.']);
    expect(stand.server.calls.map(({ body }) => (body['input'] as string[]).length)).toEqual([3, 3, 2, 1]);
    expect(await stand.embedded(model)).toEqual(COMPLETE);
    expect(await backfill()).toEqual({ stored: 0, refused: 0, pauses: 0 });
    expect(stand.asked('only-8')).toHaveLength(9);
  });

  test('of one tenant leaves the others alone', async () => {
    await stand.remember(['ours']);
    await stand.remember(['theirs'], { tenantId: OTHER_TENANT });
    await backfill({ tenantId: OTHER_TENANT });
    expect(await stand.embedded(model)).toEqual(['theirs']);
    await backfill({ tenantId: DEFAULT_TENANT_ID });
    expect(await stand.embedded(model)).toEqual(['ours', 'theirs']);
  });

  test('has those that waited wait no more', async () => {
    await gaps();
    await checkVectors(stand.database, model, never);
    expect(await waiting()).toHaveLength(9);
    await backfill();
    expect(await waiting()).toEqual([]);
  });
});

describe('the check', () => {
  test('finds what has no vector and what has one of an older text, and nothing else', async () => {
    await gaps();
    const [archived = ''] = await stand.remember(['put away']);
    await stand.database.query('update memories set archived_at = now() where id = $1::uuid', [archived]);
    expect(await checkVectors(stand.database, model, never)).toBe(9);
    expect(await waiting()).toEqual([...texts(10).slice(3), 'A part.', 'a new text'].sort());
    expect(await checkVectors(stand.database, model, never)).toBe(0);
  });

  test('reads any number of memories, page by page', async () => {
    const notes = texts(5_003);
    const ids = await stand.remember(notes);
    await saveEmbeddings(
      stand.database,
      model,
      ids.map((memoryId, n) => ({
        tenantId: DEFAULT_TENANT_ID,
        memoryId,
        content: notes[n] ?? '',
        vector: [1, 0, 0, 0, 0, 0, 0, 0],
      })),
    );
    expect(await checkVectors(stand.database, model, never)).toBe(0);
    await stand.database.query('delete from memory_embeddings where memory_id = any($1::uuid[])', [
      [ids[0], ids[4_999], ids[5_000], ids[5_002]],
    ]);
    expect(await checkVectors(stand.database, model, never)).toBe(4);
    expect(await waiting()).toEqual([notes[0], notes[4_999], notes[5_000], notes[5_002]]);
  });
});
