import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { contentHash } from '../content-hash.ts';
import { type Change, planChanges } from '../plan-changes.ts';
import type { Candidate } from '../types.ts';
import type { CurrentMemory, Neighbour } from './similar.ts';

/** Meanings: texts of one number are one to the embedding model. */
type Said = { meaning: number; wording: string; minute: number };

function candidate(fields: Partial<Candidate> & { content: string }, minute = 0): Candidate {
  return {
    kind: 'note', tier: 2, category: 'general', key: null, value: null, question: null, answer: null, tags: [],
    importance: 0.5, confidence: 70, source: 'conversation', sourceContext: null, messageIds: [],
    statedAt: new Date(Date.UTC(2026, 0, 1, 0, minute)), ...fields,
  }; // prettier-ignore
}

function vectorOf(meaning: number): number[] {
  return Array.from({ length: 8 }, (_, index) => (index === meaning ? 1 : 0));
}

type Stored = { memory: CurrentMemory; vector: readonly number[] };

function toMemory(one: Candidate, id: string): CurrentMemory {
  return { ...one, id, contentHash: contentHash(one.content) };
}

function plan(store: readonly Stored[], candidates: Candidate[], vectors: number[][]): Change[] {
  const neighbours = vectors.map((vector) =>
    store
      .filter((stored) => stored.vector.every((value, index) => value === vector[index]))
      .map(({ memory }): Neighbour => ({ ...memory, similarity: 1 })),
  );
  return planChanges({
    candidates,
    existingKeyed: store.map(({ memory }) => memory),
    existingHashes: new Map(store.map(({ memory }) => [memory.contentHash, memory.id])),
    similarity: { duplicateSimilarity: 0.9, vectors, neighbours },
  });
}

function apply(store: readonly Stored[], changes: readonly Change[], vectors: number[][]): Stored[] {
  let next = [...store];
  for (const [index, change] of changes.entries()) {
    if (change.op === 'REPLACE') next = next.filter(({ memory }) => memory.id !== change.memoryId);
    if (change.op !== 'ADD' && change.op !== 'REPLACE') continue;
    const id = `${change.candidate.content} ${change.candidate.statedAt.getTime()}`;
    next.push({ memory: toMemory(change.candidate, id), vector: vectors[index] ?? [] });
  }
  return next;
}

function run(batches: readonly (readonly Said[])[]): string[] {
  let store: Stored[] = [];
  for (const batch of batches) {
    const candidates = batch.map(({ wording, minute }) => candidate({ content: wording }, minute));
    const vectors = batch.map(({ meaning }) => vectorOf(meaning));
    store = apply(store, plan(store, candidates, vectors), vectors);
  }
  return store.map(({ memory }) => memory.content).toSorted();
}

const said = fc
  .record({ meaning: fc.nat({ max: 3 }), form: fc.nat({ max: 3 }), minute: fc.nat({ max: 50 }) })
  .map(({ meaning, form, minute }): Said => ({
    meaning,
    wording: `${['It says', 'That says', 'This says', 'They say'][form]} thing ${meaning}.`,
    minute,
  }));

describe('near-duplicates are merged', () => {
  test('into the same memories, whatever the order and however they are spread over extractions', () => {
    fc.assert(
      fc.property(
        fc
          .uniqueArray(said, { selector: (one) => one.minute, minLength: 1, maxLength: 8 })
          .chain((all) =>
            fc.tuple(
              fc.constant(all),
              fc.shuffledSubarray(all, { minLength: all.length }),
              fc.array(fc.boolean(), { minLength: all.length, maxLength: all.length }),
            ),
          ),
        ([all, shuffled, breaks]) => {
          const batches: Said[][] = [[]];
          for (const [index, one] of shuffled.entries()) {
            if (breaks[index]) batches.push([]);
            batches.at(-1)?.push(one);
          }
          const expected = run([all]);
          expect(run(all.map((one) => [one]))).toEqual(expected);
          expect(run(batches)).toEqual(expected);
          expect(expected).toHaveLength(new Set(all.map((one) => one.meaning)).size);
        },
      ),
    );
  });

  const store = (content: string, more: Partial<Candidate> = {}): Stored[] => [
    { memory: toMemory(candidate({ content, ...more }), 'known'), vector: vectorOf(0) },
  ];
  const one = (known: Stored[], fields: Partial<Candidate> & { content: string }) =>
    plan(known, [candidate(fields, 5)], [vectorOf(0)])[0];

  test('what was said again in other words is unchanged, and confirmed as of its own day', () => {
    expect(one(store('The user owns a boat.'), { content: 'The user has a boat.' })).toMatchObject({
      op: 'UNCHANGED',
      memoryId: 'known',
      cause: 'near_duplicate',
      confirmedAt: new Date(Date.UTC(2026, 0, 1)),
    });
  });

  test('the fuller wording stands, with the messages of both', () => {
    const known = store('The user has a boat.', { messageIds: ['m1'] });
    expect(one(known, { content: 'The user owns a fine boat.', messageIds: ['m2'] })).toMatchObject({
      op: 'REPLACE',
      memoryId: 'known',
      candidate: { content: 'The user owns a fine boat.', messageIds: ['m1', 'm2'] },
    });
  });

  test.each([
    ['a number', 'The user owns 2 boats.', 'The user owns 3 boats.'],
    ['a name', 'The user married Ingrid.', 'The user married Astrid.'],
    ['a negation', 'The user owns a boat.', 'The user owns no boat.'],
  ])('%s that differs keeps both', (_name, known, content) => {
    expect(one(store(known), { content })).toMatchObject({ op: 'ADD' });
  });

  test('an event is no duplicate of a fact', () => {
    expect(
      one(store('The user owns a boat.'), { content: 'The user owns one boat.', kind: 'event' }),
    ).toMatchObject({ op: 'ADD' });
  });

  test('facts with keys: another value is another fact, the same value under a new key is known', () => {
    const known = store('The user’s favourite colour is green.', {
      kind: 'fact',
      key: 'favourite_colour',
      value: 'green',
    });
    const fact = (key: string, value: string) =>
      one(known, { kind: 'fact', key, value, content: `The user's ${key} is ${value}.` });
    expect(fact('favourite_colour', 'blue')).toMatchObject({ op: 'REPLACE', cause: 'newer_value' });
    expect(fact('favorite_color', 'blue')).toMatchObject({ op: 'ADD' });
    expect(fact('favorite_color', 'green')).toMatchObject({ op: 'REPLACE', cause: 'near_duplicate' });
  });

  test('a keyed fact takes the place of a note that says the same', () => {
    expect(
      one(store('The user lives in Utrecht.'), {
        kind: 'fact',
        key: 'home',
        value: 'Utrecht',
        content: 'The user’s home is Utrecht.',
      }),
    ).toMatchObject({ op: 'REPLACE', memoryId: 'known', cause: 'near_duplicate' });
  });
});
