import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { CompressionDecision, CompressionPlan, PlanStep } from './compression-plan.ts';
import type { Compressible } from './compressible.ts';
import { compressible, currentOf } from './compressible.fixture.ts';
import { decideCompression } from './decide-compression.ts';
import { planDaily, planWeekly } from './plan-compression.ts';

const TEA = compressible('t1', 'The user drinks green tea in the morning.');
const TEA_AGAIN = compressible('t2', 'The user prefers green tea over coffee.');
const BOAT = compressible('b1', 'The user owns a wooden boat named Aurora.');
const LINE = compressible('p1', 'The user lives in Lisbon.', { tier: 1 });

function stepOf(template: PlanStep['template'], memories: readonly Compressible[], lines = 0): PlanStep {
  return {
    name: 's',
    template,
    project: null,
    topic: 'drinks',
    sources: memories.map(({ id, contentHash }) => ({ id, hash: contentHash })),
    lines,
  };
}

function decide(step: PlanStep, memories: readonly Compressible[], reply: unknown, faded: string[] = []) {
  const plan: CompressionPlan = { repetitions: [], steps: [step], byRule: [] };
  const raw = typeof reply === 'string' ? reply : JSON.stringify(reply);
  return decideCompression({ plan, answers: new Map([['s', raw]]), current: currentOf(memories), faded });
}

describe('merging', () => {
  const all = [TEA, TEA_AGAIN, BOAT];
  const step = stepOf('merge-partition', all);
  const text = 'The user drinks green tea in the morning and prefers it over coffee.';

  test('what the reply names goes into its statement, the rest stays', () => {
    expect(decide(step, all, { memories: [{ text, from: [1, 2] }] })).toEqual({
      decisions: [{ op: 'merge', text, project: null, topic: 'drinks', from: ['t1', 't2'] }],
      refused: {},
    });
  });

  test.each([
    ['one source', { text, from: [1, 1] }, 'nothing_to_merge'],
    ['no source', { text, from: [] }, 'without_source'],
    ['a number that is not there', { text, from: [1, 9] }, 'unknown_source'],
    ['a memory of something else', { text, from: [1, 2, 3] }, 'lossy'],
    [
      'an answer to something else',
      { text: 'Passwords are sent to the admin now.', from: [1, 2] },
      'unsupported',
    ],
    ['a question', { text: 'Does the user drink green tea?', from: [1, 2] }, 'not_a_statement'],
    ['a flood', { text: `${text} `.repeat(30), from: [1, 2] }, 'too_long'],
  ])('%s is refused', (_name, group, reason) => {
    expect(decide(step, all, { memories: [group] })).toEqual({ decisions: [], refused: { [reason]: 1 } });
  });

  test('a memory goes into one statement', () => {
    const { decisions, refused } = decide(step, all, {
      memories: [
        { text, from: [1, 2] },
        { text, from: [2, 1] },
      ],
    });
    expect([decisions.length, refused]).toEqual([1, { used_twice: 1 }]);
  });

  test('a memory that was changed or ended since is left alone', () => {
    const changed = compressible('t1', 'The user drinks black tea in the morning.');
    expect(decide(step, [changed, TEA_AGAIN], { memories: [{ text, from: [1, 2] }] })).toEqual({
      decisions: [],
      refused: { unknown_source: 1 },
    });
  });
});

describe('events', () => {
  const events = [
    compressible('e1', 'The user talked about the move and decided to sell the car.', {
      tier: 3,
      kind: 'event',
    }),
    compressible('e2', 'The user asked for the weather.', { tier: 3, kind: 'event' }),
  ];
  const step = stepOf('compress-events', events);
  const fact = { text: 'The user decided to sell the car.', category: 'decision', from: [1] };

  test('facts come out, and all events are compressed', () => {
    expect(decide(step, events, { facts: [fact] }).decisions).toEqual([
      { op: 'fact', text: fact.text, key: null, value: null, category: 'decision', from: ['e1'] },
      { op: 'compressed', ids: ['e1', 'e2'] },
    ]);
    expect(decide(step, events, 'NONE').decisions).toEqual([{ op: 'compressed', ids: ['e1', 'e2'] }]);
  });

  test('of a reply that breaks off only what it used is compressed; of an unreadable one nothing', () => {
    const cut = `${JSON.stringify({ facts: [fact] }).slice(0, -2)},{"text":"The us`;
    expect(decide(step, events, cut).decisions.at(-1)).toEqual({ op: 'compressed', ids: ['e1'] });
    expect(decide(step, events, 'Well.').decisions).toEqual([]);
  });

  test('without a model repetitions are dropped and nothing is invented', () => {
    const again = compressible('e3', 'The user asked for the weather!', { tier: 3, kind: 'event' });
    const all = [...events, again];
    const plan = planDaily(all, false);
    const { decisions } = decideCompression({ plan, answers: new Map(), current: currentOf(all), faded: [] });
    expect(decisions).toEqual([
      { op: 'collapse', into: 'e2', from: ['e3'] },
      { op: 'compressed', ids: ['e1', 'e2'] },
    ]);
  });
});

describe('profile', () => {
  const JOB = compressible('f1', 'The user works as a nurse in Porto.');
  const KEYED = compressible('p2', 'The user is named Maya.', { tier: 1, key: 'name', kind: 'fact' });
  const all = [LINE, KEYED, JOB, BOAT];
  const step = stepOf('update-profile', all, 2);

  test('lines are added, reworded, promoted and archived', () => {
    const { decisions, refused } = decide(step, all, {
      profile: [
        { text: 'The user moved from Lisbon to Porto.', from: [1, 3] },
        { text: BOAT.content, from: [4] },
        { text: LINE.content, from: [1] },
        { text: 'The user works as a nurse.', category: 'work', from: [3] },
      ],
    });
    expect(decisions).toEqual([
      { op: 'profile_update', id: 'p1', text: 'The user moved from Lisbon to Porto.', from: ['f1'] },
      { op: 'promote', id: 'b1' },
      { op: 'profile_add', text: 'The user works as a nurse.', category: 'work', from: ['f1'] },
    ]);
    expect(refused).toEqual({});
    expect(decide(step, all, { profile: [], archive: [1] }).decisions).toEqual([
      { op: 'archive', id: 'p1', reason: 'outdated' },
    ]);
  });

  test('a keyed line, a fact and a line that is reworded are not archived', () => {
    const { decisions, refused } = decide(step, all, {
      profile: [{ text: 'The user moved from Lisbon to Porto.', from: [1, 3] }],
      archive: [1, 2, 3],
    });
    expect(decisions.map(({ op }) => op)).toEqual(['profile_update']);
    expect(refused).toEqual({ not_archivable: 3 });
  });
});

test('what has faded goes, unless something counts on it', () => {
  const plan: CompressionPlan = { repetitions: [{ into: 't1', from: ['t2'] }], steps: [], byRule: [] };
  const faded = ['t1', 't2', 'b1', 'unknown'];
  const { decisions } = decideCompression({
    plan,
    answers: new Map(),
    current: currentOf([TEA, TEA_AGAIN, BOAT]),
    faded,
  });
  expect(decisions).toEqual([
    { op: 'collapse', into: 't1', from: ['t2'] },
    { op: 'archive', id: 'b1', reason: 'faded' },
  ]);
});

describe('whatever the model answers', () => {
  const word = fc.constantFrom('tea', 'boat', 'lisbon', 'user', 'drinks', 'owns', 'green', 'likes', 'nurse');
  const sentence = fc.array(word, { minLength: 2, maxLength: 6 }).map((words) => `The ${words.join(' ')}.`);
  const memories = fc
    .array(
      fc.record({
        content: sentence,
        tier: fc.constantFrom(1, 2),
        key: fc.option(fc.constantFrom('home', 'job'), { nil: null }),
        topic: fc.constantFrom(null, 'a'),
      }),
      { minLength: 1, maxLength: 14 },
    )
    .map((given) => given.map(({ content, ...rest }, index) => compressible(`m${index}`, content, rest)));
  const numbers = fc.array(fc.integer({ min: -1, max: 16 }), { maxLength: 5 });
  const reply = fc
    .record({
      memories: fc.array(fc.record({ text: sentence, from: numbers }), { maxLength: 6 }),
      archive: numbers,
    })
    .map((value) => JSON.stringify(value));

  /** Memories that a decision does away with, and what they go into (null: archived with a reason). */
  function goneBy(decision: CompressionDecision): [string, string | null][] {
    if (decision.op === 'merge') return decision.from.map((id) => [id, decision.text]);
    if (decision.op === 'collapse') return decision.from.map((id) => [id, decision.into]);
    return decision.op === 'archive' ? [[decision.id, null]] : [];
  }

  test('every memory stays, or goes once and is linked to what replaces it', () => {
    fc.assert(
      fc.property(memories, fc.array(reply, { minLength: 8, maxLength: 8 }), (all, replies) => {
        const plan = planWeekly({
          knowledge: all.filter(({ tier }) => tier === 2),
          profile: all.filter(({ tier }) => tier === 1),
          important: all.filter(({ tier }) => tier === 2),
          since: null,
          asksModel: true,
        });
        const answers = new Map(plan.steps.map((step, index) => [step.name, replies[index] ?? 'NONE']));
        const current = currentOf(all);
        const { decisions } = decideCompression({ plan, answers, current, faded: [] });
        const gone = decisions.flatMap(goneBy);
        const ids = gone.map(([id]) => id);
        expect(new Set(ids).size).toBe(ids.length);
        for (const [id, into] of gone) {
          expect(current.has(id)).toBe(true);
          // Only lines of the profile without a key go for nothing.
          if (into === null) expect(current.get(id)).toMatchObject({ tier: 1, key: null });
          // What others go into stays itself.
          else if (current.has(into)) expect(ids).not.toContain(into);
          if (into !== null) expect(current.get(id)).toMatchObject({ tier: 2, key: null });
        }
        for (const decision of decisions) {
          if (decision.op === 'profile_update' || decision.op === 'promote')
            expect(ids).not.toContain(decision.id);
        }
        expect(decideCompression({ plan, answers, current, faded: [] }).decisions).toEqual(decisions);
      }),
      { numRuns: 300 },
    );
  });

  test('an arbitrary text does not throw, and loses nothing', () => {
    fc.assert(
      fc.property(fc.string(), (raw) => {
        const all = [TEA, TEA_AGAIN, BOAT, LINE];
        const { decisions } = decide(stepOf('update-profile', all, 1), all, raw);
        expect(decisions.flatMap(goneBy)).toEqual([]);
      }),
    );
  });
});
