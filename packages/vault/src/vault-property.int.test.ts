import { createPool, type ListedMemory, migrate } from '@factmill/database';
import { openTestDatabase } from '@factmill/testkit/jest';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { copyFile, rename, unlink } from 'node:fs/promises';
import { isProblem, parseFile } from './file-fields.ts';
import { createStand, type Stand } from './stand.fixture.ts';
import { toPatch } from './to-memory.ts';

const { database } = await openTestDatabase({ createPool, migrate });
const USERS = ['alice', 'Bob'];
const FOLDERS: Readonly<Record<string, string>> = { alice: 'alice', Bob: '%42ob' };

const user = fc.constantFrom(...USERS);
const place = fc.nat(20);
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant('save' as const),
      user,
      key: fc.option(fc.constantFrom('a', 'b', 'c')),
    }),
  },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('change' as const), user, place }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('remove' as const), user, place }) },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant('write' as const),
      user,
      key: fc.option(fc.constantFrom('a', 'b', 'c')),
    }),
  },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('edit' as const), place }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('spoil' as const), place }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('unlink' as const), place }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('move' as const), place }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('moveOver' as const), place, onto: place }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('copy' as const), place }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('round' as const) }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('sync' as const) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('crash' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Words that nobody else writes, so that a text can be found again wherever it is. */
let words = 0;
const newWord = () => `word${(words += 1)}x`;

test('after random changes on both sides, files and memories say the same, and every text that was written is somewhere', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const stand = await createStand(database);
      try {
        const written = new Map<string, string>();
        for (const each of steps) await take(stand, each, written);
        await stand.sync();
        await mend(stand);
        await stand.sync();
        await expectEqual(stand);
        await expectKept(stand, [...written.values()]);
        // And nothing more happens.
        const before = { ...stand.session()?.counts };
        await stand.sync();
        expect(stand.session()?.counts).toEqual(before);
      } finally {
        await stand.close();
      }
    }),
    { numRuns: 40 },
  );
});

/** @param written path → the word that was written into it last, and that nobody has replaced or deleted by hand */
async function take(stand: Stand, step: Step, written: Map<string, string>): Promise<void> {
  const files = await stand.files();
  const fileAt = (place: number) => files[place % Math.max(1, files.length)];
  const memoryAt = async (owner: string, place: number) => {
    const memories = await stand.memories(owner);
    return memories[place % Math.max(1, memories.length)];
  };
  switch (step.op) {
    case 'save':
      await stand.save(
        step.user,
        step.key === null ? { content: newWord() } : { key: step.key, value: newWord() },
      );
      return;
    case 'change': {
      const memory = await memoryAt(step.user, step.place);
      if (memory !== undefined)
        await stand.change(step.user, memory.id, { content: newWord(), tags: [newWord()] });
      return;
    }
    case 'remove': {
      const memory = await memoryAt(step.user, step.place);
      if (memory !== undefined) await stand.remove(step.user, memory.id);
      return;
    }
    case 'write': {
      const word = newWord();
      const path = `${FOLDERS[step.user]}/entries/global/facts/${word}.md`;
      await stand.write(
        path,
        `---\nmine: ${word}m\n${step.key === null ? '' : `key: ${step.key}\n`}---\n\n${word}\n`,
      );
      written.set(path, word);
      return;
    }
    case 'edit': {
      const path = fileAt(step.place);
      if (path === undefined) return;
      const word = newWord();
      const text = await stand.read(path);
      await stand.write(path, `${text.replace(/\n---\n[^]*$/, '')}\n---\n\n${word}\n`);
      written.set(path, word);
      return;
    }
    case 'crash':
      return stand.crash();
    case 'round':
      return void (await stand.round());
    case 'sync':
      return stand.sync();
    default:
      return takeFileStep(stand, step, files, written);
  }
}

async function takeFileStep(
  stand: Stand,
  step: Extract<Step, { op: 'spoil' | 'unlink' | 'move' | 'moveOver' | 'copy' }>,
  files: readonly string[],
  written: Map<string, string>,
): Promise<void> {
  const path = files[step.place % Math.max(1, files.length)];
  if (path === undefined) return;
  const word = written.get(path);
  const other = (name: string) => path.replace(/[^/]*$/, name);
  switch (step.op) {
    case 'spoil':
      // Not valid YAML: nothing of it is taken until it is mended.
      return stand.write(path, (await stand.read(path)).replace('---\n', '---\nspoiled: [\n'));
    case 'unlink':
      written.delete(path);
      return unlink(stand.at(path));
    case 'copy': {
      await copyFile(stand.at(path), stand.at(other(`${newWord()}.md`)));
      return;
    }
    case 'move':
    case 'moveOver': {
      const onto = step.op === 'move' ? undefined : files[step.onto % files.length];
      const target = onto ?? other(`${newWord()}.md`);
      await rename(stand.at(path), stand.at(target));
      written.delete(path);
      if (word === undefined) written.delete(target);
      else written.set(target, word);
    }
  }
}

async function mend(stand: Stand): Promise<void> {
  for (const path of await stand.files()) {
    const text = await stand.read(path);
    if (text.includes('spoiled: [\n')) await stand.write(path, text.replaceAll('spoiled: [\n', ''));
  }
}

async function allMemories(stand: Stand): Promise<ListedMemory[]> {
  return (await Promise.all(USERS.map((owner) => stand.memories(owner)))).flat();
}

/** One file for each memory, and it says what the memory says. What could not be taken is in the report. */
async function expectEqual(stand: Stand): Promise<void> {
  const waiting = new Set(stand.session()?.report.problems().keys());
  const memories = new Map((await allMemories(stand)).map((memory) => [memory.id, memory]));
  const found: string[] = [];
  for (const path of await stand.files()) {
    const parsed = parseFile(await stand.read(path));
    if (waiting.has(path)) {
      const base = stand.session()?.agreements.ofPath(path);
      if (base !== undefined) found.push(base.memoryId);
      continue;
    }
    if (isProblem(parsed)) throw new Error(`${path}: ${parsed.problem}`);
    const id = parsed.fields.text.id ?? '';
    const memory = memories.get(id);
    if (memory === undefined) throw new Error(`${path} has no memory`);
    expect({ path, patch: toPatch(parsed.fields, { ...memory, version: 0 }) }).toEqual({ path, patch: null });
    found.push(id);
  }
  expect(found.toSorted()).toEqual([...memories.keys()].toSorted());
}

/** Each word is in a version of a memory, in a file, or among the conflicts. */
async function expectKept(stand: Stand, all: readonly string[]): Promise<void> {
  const { rows } = await database.query<{ state: string }>(
    `select coalesce(after, before)::text as state from memory_versions where tenant_id = $1::uuid`,
    [stand.tenantId],
  );
  const places = await Promise.all(
    [...(await stand.conflicts()), ...(await stand.files())].map((path) => stand.read(path)),
  );
  const everything = [...rows.map((row) => row.state), ...places].join('\n');
  expect(all.filter((word) => !everything.includes(word))).toEqual([]);
}
