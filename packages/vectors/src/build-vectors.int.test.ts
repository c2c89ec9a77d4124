import { randomUUID } from 'node:crypto';
import {
  activateEmbeddingModel,
  findActiveEmbeddingModel,
  listEmbeddingBuilds,
  takeEmbeddingBuild,
} from '@factmill/database';
import { waitFor } from '@factmill/testkit';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { buildVectors } from './build-vectors.ts';
import { openVectorStand, texts, type VectorStand } from './vectors.fixture.ts';

let stand: VectorStand;
let oldId: string;
let newId: string;
const never = new AbortController().signal;

beforeEach(async () => {
  stand = await openVectorStand();
  oldId = await stand.register('old-8');
  newId = await stand.register('new-16');
});
afterEach(() => stand.close());

async function remembered(contents: readonly string[]): Promise<Record<string, string>> {
  const ids = await stand.remember(contents);
  const memories = Object.fromEntries(ids.map((id, index) => [id, contents[index] ?? '']));
  await stand.embed('old-8', memories);
  return memories;
}

function build(options: Readonly<{ untilMs?: number; signal?: AbortSignal; leaseMs?: number }> = {}) {
  return buildVectors(
    {
      database: stand.database,
      embedder: stand.embedderOf('new-16'),
      model: newId,
      worker: randomUUID(),
      now: Date.now,
      ...(options.leaseMs === undefined ? {} : { leaseMs: options.leaseMs }),
    },
    options.untilMs ?? Number.MAX_SAFE_INTEGER,
    options.signal ?? never,
  );
}

describe('the vectors of another model', () => {
  test('are built beside those in use, of memories and of documents; then it takes their place', async () => {
    const notes = texts(150);
    await remembered(notes);
    const parts = ['A first part. ', '\n\n', 'A last part.'];
    await stand.document(parts);
    expect(await build()).toBe('built');
    // A part without words gets no vector and is not listed again.
    expect(await stand.embedded(newId)).toEqual([...notes, 'A first part. ', 'A last part.'].sort());
    expect(stand.asked('new-16')).toHaveLength(152);
    expect(await listEmbeddingBuilds(stand.database)).toMatchObject([{ model: newId, total: 153 }]);
    expect((await findActiveEmbeddingModel(stand.database))?.id).toBe(oldId);

    expect(await activateEmbeddingModel(stand.database, newId)).toBe(true);
    expect(await activateEmbeddingModel(stand.database, newId)).toBe(false);
    expect((await findActiveEmbeddingModel(stand.database))?.id).toBe(newId);
    expect(await stand.embedded(oldId)).toHaveLength(150);
  });

  test('two at once do the work once', async () => {
    await remembered(texts(200));
    // The second begins while the first waits for an answer.
    let second: ReturnType<typeof build> | undefined;
    stand.server.setReply(() => {
      if (second !== undefined) return undefined;
      second = build();
      return { delayMs: 3_000 };
    });
    expect(await build()).toBe('built');
    expect(await second).toBe('elsewhere');
    expect(stand.asked('new-16').toSorted()).toEqual(texts(200));
  });

  test('after an interruption it continues where it was', async () => {
    await remembered(texts(300));
    const interruption = new AbortController();
    stand.server.setReply(({ body }) => {
      if ((body['input'] as string[]).includes('note number 0130')) interruption.abort(new Error('stopped'));
      return undefined;
    });
    await expect(build({ signal: interruption.signal })).rejects.toThrow('stopped');
    const before = stand.asked('new-16').length;
    expect(before).toBeLessThan(150);
    const stored = (await stand.embedded(newId)).length;
    expect(stored).toBe(128);
    stand.server.reset();
    expect(await build()).toBe('built');
    expect(stand.asked('new-16')).toEqual(texts(300).slice(stored));
    expect(await stand.embedded(newId)).toHaveLength(300);
  });

  test('a worker that died holds it up for its lease only', async () => {
    await remembered(texts(3));
    expect(await build({ untilMs: 0 })).toBe('more');
    expect(await takeEmbeddingBuild(stand.database, newId, randomUUID(), 500)).toBeDefined();
    expect(await build()).toBe('elsewhere');
    await waitFor(async () => (await build()) === 'built', { describe: 'the lease to run out' });
    expect(await stand.embedded(newId)).toEqual(texts(3));
  });

  test('in stretches, and while the endpoint is away now and then, nothing is left out or done twice', async () => {
    await remembered(texts(200));
    let calls = 0;
    stand.server.setReply(() => (++calls % 5 === 0 ? { status: 503 } : undefined));
    await waitFor(async () => (await build({ untilMs: 0 }).catch(() => 'away')) === 'built', {
      describe: 'the build to end',
    });
    expect(await stand.embedded(newId)).toEqual(texts(200));
  });

  test('what is stored and edited meanwhile is not missed', async () => {
    const memories = await remembered(texts(130));
    const [first = ''] = Object.keys(memories);
    stand.server.setReply(() => ({ delayMs: 100 }));
    const run = build();
    await waitFor(async () => (await stand.embedded(newId)).length > 0, { describe: 'the first page' });
    await stand.remember(['a late note']);
    await stand.database.query(
      `update memories set content = 'an edited note', content_hash = sha256('an edited note') where id = $1::uuid`,
      [first],
    );
    expect(await run).toBe('built');
    const embedded = await stand.embedded(newId);
    expect(embedded).toHaveLength(131);
    expect(embedded).toEqual(expect.arrayContaining(['a late note', 'an edited note']));
  });

  test('are made of what was replaced too, for searches at an earlier time; not of what never had one', async () => {
    const memories = await remembered(['the old address', 'the new address']);
    const [replaced = ''] = Object.keys(memories);
    const [nameless = ''] = await stand.remember(['gone before it was embedded']);
    await stand.database.query('update memories set valid_to = now() where id = any($1::uuid[])', [
      [replaced, nameless],
    ]);
    await build();
    expect(await stand.embedded(newId)).toEqual(['the new address', 'the old address']);
  });

  test('a text that the model refuses is left out alone, and not offered again until it is edited', async () => {
    const memories = await remembered(['a good note', 'a poisonous note', 'another good note']);
    stand.server.setReply(({ body }) =>
      JSON.stringify(body['input']).includes('poison') ? { status: 400 } : undefined,
    );
    expect(await build()).toBe('built');
    expect(await stand.embedded(newId)).toEqual(['a good note', 'another good note']);
    const calls = stand.server.calls.length;
    expect(await build()).toBe('built');
    expect(stand.server.calls).toHaveLength(calls);
    const [id] = Object.entries(memories).find(([, content]) => content.includes('poison')) ?? [];
    await stand.database.query(
      `update memories set content = 'a healed note', content_hash = sha256('a healed note') where id = $1::uuid`,
      [id],
    );
    await build();
    await build();
    expect(await stand.embedded(newId)).toContain('a healed note');
  });
});
