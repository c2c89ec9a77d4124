import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { contentHash } from './content-hash.ts';
import { planChanges, type Change } from './plan-changes.ts';
import type { Candidate, KnownMemory } from './types.ts';

function day(number: number): Date {
  return new Date(Date.UTC(2024, 0, number));
}

function candidate(fields: Partial<Candidate>): Candidate {
  return {
    kind: 'fact', tier: 2, category: 'general', key: null, value: null, content: '', question: null, answer: null, tags: [],
    importance: 0.5, confidence: 70, source: 'conversation', sourceContext: null, messageIds: [], statedAt: day(1), ...fields,
  }; // prettier-ignore
}

function fact(key: string, value: string, stated = 1): Candidate {
  return candidate({ key, value, content: `The user's ${key} is ${value}.`, statedAt: day(stated) });
}

function qa(question: string, answer: string, stated = 1): Candidate {
  return candidate({
    kind: 'qa',
    question,
    answer,
    content: `Q: ${question}\nA: ${answer}`,
    statedAt: day(stated),
  });
}

function note(content: string, stated = 1): Candidate {
  return candidate({ kind: 'note', content, statedAt: day(stated) });
}

/** What the store holds; `apply` does what each decision says. */
type Store = { current: KnownMemory[]; history: KnownMemory[] };

function plan(store: Store, candidates: readonly Candidate[]): Change[] {
  const hashes = new Map(
    [...store.history, ...store.current].map((memory) => [contentHash(memory.content), memory.id]),
  );
  return planChanges({ candidates, existingKeyed: store.current, existingHashes: hashes });
}

function apply(store: Store, changes: readonly Change[]): Store {
  let { current, history } = store;
  for (const change of changes) {
    const { kind, category, key, value, content, question, statedAt } = change.candidate;
    const id = `${content}@${statedAt.toISOString()}`;
    const memory: KnownMemory = { id, kind, category, key, value, content, question, statedAt };
    if (change.op === 'ADD') current = [...current, memory];
    if (change.op === 'STALE') history = [...history, memory];
    if (change.op === 'REPLACE') {
      history = [...history, ...current.filter((old) => old.id === change.memoryId)];
      current = [...current.filter((old) => old.id !== change.memoryId), memory];
    }
    if (change.op === 'UNCHANGED' && change.confirmedAt !== undefined) {
      const confirmedAt = change.confirmedAt;
      current = current.map((old) => (old.id === change.memoryId ? { ...old, statedAt: confirmedAt } : old));
    }
  }
  return { current, history };
}

const empty: Store = { current: [], history: [] };

function after(...rounds: Candidate[][]): Store {
  return rounds.reduce((store, candidates) => apply(store, plan(store, candidates)), empty);
}

function ops(store: Store, candidates: Candidate[]): string[] {
  return plan(store, candidates).map(({ op }) => op);
}

describe('facts with a key', () => {
  const oslo = after([fact('home', 'Oslo', 5)]);

  test.each([
    ['another value, said later', fact('home', 'Rome', 6), 'REPLACE'],
    ['another value, said at the same time', fact('home', 'Rome', 5), 'REPLACE'],
    ['another value, said before', fact('home', 'Rome', 4), 'STALE'],
    ['the same value', fact('home', ' OSLO. ', 5), 'UNCHANGED'],
    ['another key', fact('job', 'Oslo', 5), 'ADD'],
    ['another category', { ...fact('home', 'Rome', 6), category: 'work' }, 'ADD'],
  ])('%s: %s', (_name, next, op) => {
    expect(ops(oslo, [next])).toEqual([op]);
  });

  test('name the memory they are about', () => {
    const id = oslo.current.at(0)!.id;
    expect(plan(oslo, [fact('home', 'Rome', 6)])[0]).toMatchObject({ op: 'REPLACE', memoryId: id });
    expect(plan(oslo, [fact('home', 'Oslo', 9)])[0]).toMatchObject({
      op: 'UNCHANGED',
      memoryId: id,
      confirmedAt: day(9),
    });
    expect(plan(oslo, [fact('home', 'Oslo', 2)])[0]).not.toHaveProperty('confirmedAt');
  });

  test('in one reply the latest statement speaks, then the last', () => {
    expect(ops(empty, [fact('home', 'Rome', 3), fact('home', 'Oslo', 9), fact('home', 'Bonn', 4)])).toEqual([
      'DUPLICATE',
      'ADD',
      'DUPLICATE',
    ]);
    expect(plan(empty, [fact('home', 'Rome', 3), fact('home', 'Oslo', 3)])).toMatchObject([
      { op: 'DUPLICATE', of: 1 },
      { op: 'ADD' },
    ]);
  });
});

describe('pairs and notes', () => {
  test.each([
    ['the same pair', qa('Editor?', 'Vim', 5), 'UNCHANGED'],
    ['the question asked in other letters', qa('EDITOR', 'Vim', 5), 'REPLACE'],
    ['another answer', qa('Editor?', 'Emacs', 6), 'REPLACE'],
    ['an older answer', qa('Editor?', 'Emacs', 4), 'STALE'],
    ['another question', qa('Shell?', 'Vim', 5), 'ADD'],
  ])('%s: %s', (_name, next, op) => {
    expect(ops(after([qa('Editor?', 'Vim', 5)]), [next])).toEqual([op]);
  });

  test('notes are the same when their text is', () => {
    const store = after([note('The user likes tea.')]);
    expect(
      ops(store, [
        note('the user likes  tea', 9),
        note('The user likes coffee.'),
        note('The user likes coffee'),
      ]),
    ).toEqual(['UNCHANGED', 'DUPLICATE', 'ADD']);
  });

  test('a keyed fact and a note with the same text are two memories', () => {
    const store = after([note("The user's home is Oslo.")]);
    expect(ops(store, [fact('home', 'Oslo')])).toEqual(['ADD']);
  });
});

describe('properties', () => {
  const word = fc.constantFrom('a', 'b', 'c');
  const any = (stated: fc.Arbitrary<number>): fc.Arbitrary<Candidate> =>
    fc.oneof(
      fc.tuple(word, word, stated).map(([key, value, at]) => fact(key, value, at)),
      fc.tuple(word, word, stated).map(([question, answer, at]) => qa(`${question}?`, answer, at)),
      fc.tuple(word, stated).map(([text, at]) => note(`note ${text}`, at)),
    );
  const batch = fc.array(any(fc.integer({ min: 1, max: 9 })), { maxLength: 8 });

  test('a plan that was applied plans nothing more', () => {
    fc.assert(
      fc.property(fc.array(batch, { maxLength: 4 }), batch, (earlier, next) => {
        const store = after(...earlier);
        const once = apply(store, plan(store, next));
        const again = plan(once, next);
        expect(again.filter(({ op }) => op !== 'UNCHANGED' && op !== 'DUPLICATE')).toEqual([]);
        expect(apply(once, again)).toEqual(once);
      }),
      { numRuns: 500 },
    );
  });

  test('the order in which extractions are applied does not change the current values', () => {
    const distinctTimes = fc
      .uniqueArray(fc.integer({ min: 1, max: 300 }), { minLength: 6, maxLength: 12 })
      .chain((times) => fc.tuple(...times.map((time) => any(fc.constant(time)))));
    const values = (store: Store): string[] =>
      store.current.map(({ content }) => content).sort((a, b) => a.localeCompare(b));
    fc.assert(
      fc.property(distinctTimes, fc.nat(), fc.nat(), (all, first, second) => {
        const cuts = [first % all.length, second % all.length].sort((a, b) => a - b);
        const parts = [all.slice(0, cuts[0]), all.slice(cuts[0], cuts[1]), all.slice(cuts[1])];
        const expected = values(after(...parts));
        expect(values(after(...parts.toReversed()))).toEqual(expected);
        expect(values(after(parts.at(1)!, parts.at(2)!, parts.at(0)!))).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  test('every candidate gets one decision, in order', () => {
    fc.assert(
      fc.property(batch, (candidates) => {
        expect(plan(empty, candidates).map((change) => change.candidate)).toEqual(candidates);
      }),
    );
  });
});
