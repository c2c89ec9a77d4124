import { createPool, migrate } from '@factmill/database';
import { startProcess } from '@factmill/testkit';
import { openTestDatabase } from '@factmill/testkit/jest';
import { expect, test } from '@jest/globals';
import { randomInt } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { isProblem, parseFile } from './file-fields.ts';
import { withSteps } from './operations.fixture.ts';
import { createStand, type Stand } from './stand.fixture.ts';

const { database, connectionString } = await openTestDatabase({ createPool, migrate });

class Killed extends Error {}

/** Everything that can happen, waiting to be done. Each word is somewhere afterwards, or was replaced by hand. */
async function prepare(stand: Stand): Promise<void> {
  const ids: string[] = [];
  for (const name of [
    'edited',
    'changed',
    'both',
    'unlinked',
    'removed',
    'unlinked-changed',
    'removed-edited',
    'still',
  ]) {
    ids.push(await stand.save('alice', { content: `word-${name}` }));
  }
  const [edited = '', changed = '', both = '', unlinked = '', removed = '', gone = '', late = ''] = ids;
  await stand.sync();
  const files = await stand.files();
  const pathOf = (id: string) => files.find((path) => path.includes(id)) ?? '';
  const edit = async (id: string, word: string) => {
    const text = await stand.read(pathOf(id));
    await stand.write(
      pathOf(id),
      `${text.replace(/\n---\n[^]*$/, '')}\nmine: ${word}-mine\n---\n\n${word}\n`,
    );
  };
  await edit(edited, 'word-edit');
  await edit(both, 'word-both-file');
  await edit(late, 'word-late');
  await unlink(stand.at(pathOf(unlinked)));
  await unlink(stand.at(pathOf(gone)));
  await stand.change('alice', changed, { content: 'word-change' });
  await stand.change('alice', both, { content: 'word-both-memory' });
  await stand.change('alice', gone, { content: 'word-gone-memory' });
  await stand.remove('alice', removed);
  await stand.remove('alice', late);
  await stand.save('alice', { content: 'word-saved' });
  await stand.write('alice/entries/global/facts/new.md', '---\nmine: word-new-mine\n---\n\nword-new\n');
}

const CURRENT = [
  'word-edit',
  'word-change',
  'word-both-memory',
  'word-gone-memory',
  'word-saved',
  'word-new',
  'word-still',
];

async function expectWhole(stand: Stand): Promise<void> {
  const memories = await stand.memories('alice');
  expect(memories.map(({ content }) => content).toSorted()).toEqual(CURRENT.toSorted());
  const texts = await Promise.all((await stand.files()).map((path) => stand.read(path)));
  const bodies = texts.map((text) => {
    const parsed = parseFile(text);
    if (isProblem(parsed)) throw new Error(parsed.problem);
    return `${parsed.fields.text.id} ${parsed.fields.body}`;
  });
  expect(bodies.toSorted()).toEqual(memories.map(({ id, content }) => `${id} ${content}`).toSorted());
  expect(
    texts.filter((text) => text.includes('mine: word-edit-mine') || text.includes('mine: word-new-mine')),
  ).toHaveLength(2);
  const kept = await Promise.all((await stand.conflicts()).map((path) => stand.read(path)));
  for (const word of ['word-both-file', 'word-late']) expect(kept.join('\n')).toContain(word);
  const { rows } = await database.query<{ count: number }>(
    `select count(*)::integer as count from memory_versions where tenant_id = $1::uuid and actor = 'vault'`,
    [stand.tenantId],
  );
  // One edit, one new file, one deletion: each once, whatever was done twice.
  expect(rows[0]?.count).toBe(3);
}

/** Each run takes every sixth of some 300 steps, from another one on. All of them take minutes. */
const STRIDE = 6;

test('stopped at any step, nothing is lost and nothing is done twice', async () => {
  for (let killAt = 1 + randomInt(STRIDE), isOver = false; !isOver; killAt += STRIDE) {
    let left = Number.POSITIVE_INFINITY;
    const stand = await createStand(database, 1_000, (deps) =>
      withSteps(deps, () => {
        left -= 1;
        if (left <= 0) throw new Killed();
      }),
    );
    try {
      await prepare(stand);
      await stand.crash();
      left = killAt;
      isOver = await stand.sync().then(
        () => true,
        (error: unknown) => {
          if (left > 0) throw error;
          return false;
        },
      );
      left = Number.POSITIVE_INFINITY;
      await stand.crash();
      await stand.sync();
      await expectWhole(stand).catch((error: unknown) => {
        throw new Error(`stopped at step ${killAt}`, { cause: error });
      });
    } finally {
      await stand.close();
    }
  }
});

test('processes that kill themselves with kill -9 along the way lose nothing', async () => {
  const stand = await createStand(database);
  try {
    await prepare(stand);
    await stand.crash();
    for (const killAt of [31, 77, 0]) {
      const child = await startProcess({
        entry: fileURLToPath(new URL('./vault-process.fixture.ts', import.meta.url)),
        env: {
          DATABASE_URL: connectionString,
          VAULT_DIR: stand.dir,
          TENANT_ID: stand.tenantId,
          KILL_AT: String(killAt),
        },
      });
      const exit = await child.exit;
      if (killAt === 0) expect({ output: child.output(), exit }).toMatchObject({ exit: { code: 0 } });
      else expect({ output: child.output(), exit }).toMatchObject({ exit: { signal: 'SIGKILL' } });
      await stand.crash();
    }
    await stand.sync();
    await expectWhole(stand);
  } finally {
    await stand.close();
  }
});
