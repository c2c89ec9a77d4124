import { describe, expect, test } from '@jest/globals';
import { toCandidates } from './candidates.ts';
import { getPreset } from './presets.ts';
import { parseReply } from './reply/parse-reply.ts';
import type { Candidate, TranscriptMessage } from './types.ts';

const preset = getPreset('facts-and-context')!;
const now = new Date('2024-06-01T00:00:00Z');

function user(seq: number, content: string): TranscriptMessage {
  return { id: `m${seq}`, seq, role: 'user', content, createdAt: at(seq) };
}

const at = (day: number) => new Date(Date.UTC(2024, 4, day));

const messages: TranscriptMessage[] = [
  user(1, 'Hi! My name is Ana and I live in Oslo.'),
  { ...user(2, 'You live in Paris, do you not?'), role: 'assistant' },
  user(3, 'I use Vim for everything.'),
  user(5, 'My dogs are called Rex and Bello.'),
];

function run(
  reply: unknown,
  range = messages,
): { candidates: Candidate[]; rejected: Record<string, number> } {
  const raw = typeof reply === 'string' ? reply : JSON.stringify(reply);
  const { candidates, rejected } = toCandidates(parseReply(raw), {
    messages: range,
    preset,
    now,
    timeZone: 'UTC',
  });
  return { candidates, rejected: Object.fromEntries(rejected.map(({ reason, count }) => [reason, count])) };
}

function only(reply: unknown): Candidate {
  const { candidates } = run(reply);
  expect(candidates).toHaveLength(1);
  return candidates.at(0)!;
}

describe('readable content', () => {
  test.each([
    ['name', 'Steve', "The user's name is Steve."],
    ['home', 'Texas', 'The user lives in Texas.'],
    ['location', 'Texas.', 'The user lives in Texas.'],
    ['Age', '34', 'The user is 34 years old.'],
    ['job_title', 'baker', "The user's job title is baker."],
    ['employer', 'ACME', 'The user works at ACME.'],
    ['allergies', 'nuts', 'The user is allergic to nuts.'],
    ['allergy', 'No allergy to penicillin', "About the user's allergy: No allergy to penicillin."],
    ['lives_in', 'not in Rome any more', "About the user's lives in: not in Rome any more."],
    ['likes', 'tea', 'The user likes tea.'],
    ['dislike', 'tea', 'The user dislikes tea.'],
    ['uses', 'Vim', 'The user uses Vim.'],
    ['favouriteEditor', 'Vim', "The user's favourite editor is Vim."],
    ['hobbies', 'chess, golf', "The user's hobbies are chess, golf."],
    ['marital_status', 'single', "The user's marital status is single."],
    ['is_vegetarian', 'true', 'The user is vegetarian.'],
    ['married', 'true', 'The user is married.'],
    ['retired', 'no', 'The user is not retired.'],
    ['pregnant', 'in May', "The user's pregnant is in May."],
    ['has_children', 'no', 'The user does not have children.'],
    ['motto', 'costs $1 & $&', "The user's motto is costs $1 & $&."],
  ])('%s: %s → %s', (key, value, content) => {
    expect(only({ facts: { [key]: value } }).content).toBe(content);
  });

  test('of pairs and notes', () => {
    expect(only({ context: [{ q: 'Editor?', a: 'Vim' }] }).content).toBe('Q: Editor?\nA: Vim');
    expect(only(['The user has two dogs.']).content).toBe('The user has two dogs.');
    expect(only([{ key: 'a', value: 'b', content: 'Said so.' }]).content).toBe('Said so.');
  });
});

describe('provenance', () => {
  test('is the message whose words the item shares, and that message dates it', () => {
    expect(only({ facts: { name: 'Ana' } })).toMatchObject({
      messageIds: ['m1'],
      statedAt: messages.at(0)!.createdAt,
    });
    expect(only({ facts: { editor: 'Vim' } })).toMatchObject({
      messageIds: ['m3'],
      statedAt: messages.at(2)!.createdAt,
    });
    expect(only({ context: [{ q: 'Pets?', a: 'A dog called Rex' }] }).messageIds).toEqual(['m5']);
  });

  test('is what the item names, if that is in the range and the user wrote it', () => {
    expect(only([{ key: 'editor', value: 'Vim', message_ids: ['m5', 'm1', 'zz'] }])).toMatchObject({
      messageIds: ['m1', 'm5'],
      statedAt: messages.at(3)!.createdAt,
    });
    expect(only([{ key: 'editor', value: 'Vim', message_id: 'm2' }]).messageIds).toEqual(['m3']);
  });

  test('is every user message when nothing is shared', () => {
    expect(only({ facts: { shoe: '四十' } })).toMatchObject({
      messageIds: ['m1', 'm3', 'm5'],
      statedAt: messages.at(3)!.createdAt,
    });
  });

  test('without user messages there is no provenance but a date', () => {
    const { candidates } = run({ facts: { name: 'Ana' } }, []);
    expect(candidates[0]).toMatchObject({ messageIds: [], statedAt: now });
  });
});

describe('defaults and limits', () => {
  test('of a plain fact', () => {
    expect(only({ facts: { 'Home Town': 'Oslo' } })).toMatchObject({
      kind: 'fact', tier: 2, category: 'general', key: 'home_town', value: 'Oslo', question: null, answer: null, tags: [],
      confidence: 70, source: 'conversation', sourceContext: null,
    }); // prettier-ignore
  });

  test.each([
    [{ source: 'tool_call' }, 95],
    [{ source: 'auto_discovery' }, 95],
    [{ source: 'user_explicit' }, 90],
    [{ source: 'guess' }, 70],
    [{ confidence: 42 }, 42],
    [{ confidence: 0.8 }, 80],
    [{ confidence: '80%' }, 80],
    [{ confidence: 1 }, 1],
    [{ confidence: 900 }, 100],
    [{ confidence: -3 }, 0],
    [{ confidence: 'high', source: 'user_explicit' }, 90],
  ])('confidence of %j is %d', (fields, confidence) => {
    expect(only([{ key: 'a', value: 'b', ...fields }]).confidence).toBe(confidence);
  });

  test.each([
    [{ tier: 1 }, 1],
    [{ tier: 9 }, 2],
    [{}, 2],
  ])('tier of %j is %d', (fields, tier) => {
    expect(only([{ key: 'a', value: 'b', ...fields }]).tier).toBe(tier);
  });

  test('events are tier 3', () => {
    expect(only({ facts: [], event: 'Talked about the move.' })).toMatchObject({ kind: 'event', tier: 3 });
  });

  test.each([
    ['2023-05-07', '2023-05-07T00:00:00.000Z'],
    ['2023-05-07T10:00', '2023-05-07T10:00:00.000Z'],
    ['2023-05-07T10:00:00Z', '2023-05-07T10:00:00.000Z'],
    ['yesterday', undefined],
    ['2023-13-40', undefined],
  ])('valid_from %s → %s', (valid_from, iso) => {
    expect(only([{ key: 'a', value: 'b', valid_from }]).validFrom?.toISOString()).toBe(iso);
  });
});

describe('filters', () => {
  test('refuse what is no fact, and count it', () => {
    const { candidates, rejected } = run({
      facts: [
        'Does the user like tea?',
        'Tea.',
        { key: '!!!', value: 'x' },
        { key: 'home', value: 'unknown' },
        { content: 'Not specified.' },
        { key: 'has_car', value: 'no' },
        'The user likes tea.',
        'the user  likes TEA',
      ],
      context: [{ q: 'Editor?', a: 'Unknown' }],
    });
    expect(candidates.map(({ content }) => content)).toEqual([
      'The user does not have car.',
      'The user likes tea.',
    ]);
    expect(rejected).toEqual({ not_a_fact: 4, too_short: 1, empty_key: 1, repeated: 1 });
  });

  test('what is said again counts as said the last time, and holds since the first', () => {
    const said = (message: string, value: string) => ({ key: 'home', value, message_ids: [message] });
    const again = run([said('m1', 'Oslo'), said('m5', 'oslo')]);
    expect(again.rejected).toEqual({ repeated: 1 });
    expect(again.candidates).toMatchObject([
      { value: 'Oslo', messageIds: ['m1', 'm5'], statedAt: at(5), validFrom: at(1) },
    ]);
    expect(run([said('m5', 'Oslo'), said('m1', 'Oslo')]).candidates).toMatchObject([
      { messageIds: ['m5'], statedAt: at(5) },
    ]);
  });

  test('what is said again after something else holds since then, and comes after that', () => {
    const said = (message: string, value: string) => ({ key: 'home', value, message_ids: [message] });
    const back = run([said('m1', 'Oslo'), said('m3', 'Bergen'), said('m5', 'Oslo')]);
    expect(back.rejected).toEqual({ repeated: 1 });
    expect(back.candidates).toMatchObject([
      { value: 'Bergen', messageIds: ['m3'], statedAt: at(3) },
      { value: 'Oslo', messageIds: ['m1', 'm5'], statedAt: at(5) },
    ]);
    expect(back.candidates[1]).not.toHaveProperty('validFrom');
    const atOnce = run(
      [said('m1', 'Oslo'), said('m3', 'Bergen'), said('m5', 'Oslo')],
      messages.map((message) => ({ ...message, createdAt: now })),
    );
    expect(atOnce.candidates.map(({ value }) => value)).toEqual(['Bergen', 'Oslo']);
  });

  test('counts include those of the parser', () => {
    expect(run({ facts: { a: { b: 1 }, c: 'd' } }).rejected).toEqual({ nested_value: 1 });
  });

  test('the same sentence may stand for two keys', () => {
    const item = { content: 'The user is a nurse at the clinic.' };
    expect(
      run([
        { ...item, key: 'job', value: 'nurse' },
        { ...item, key: 'employer', value: 'the clinic' },
      ]).candidates,
    ).toHaveLength(2);
  });
});

test('one message brings 50 memories at most, each message for itself', () => {
  const colours = (from: number) =>
    Array.from({ length: 60 }, (_, index) => ({
      key: `colour_${from + index}`,
      value: `red ${from + index}`,
    }));
  const said = (from: number) =>
    colours(from)
      .map(({ value }) => value)
      .join(', ');
  const range = [user(1, `My colours: ${said(100)}`), user(2, `My others: ${said(300)}`)];
  const { candidates, rejected } = run({ facts: [...colours(100), ...colours(300)] }, range);
  expect(candidates.filter(({ messageIds }) => messageIds.includes('m1'))).toHaveLength(50);
  expect(candidates.filter(({ messageIds }) => messageIds.includes('m2'))).toHaveLength(50);
  expect(rejected).toEqual({ too_many: 20 });
});

test('memories hold what people see', () => {
  const { candidates } = run({
    facts: { 'home\u200b': 'Pa\u00adris\u{e0148}\u{e0149}' },
    context: [{ q: 'Which \u202etea?', a: 'Earl Grey 👩‍🚀 می‌خواهم' }],
  });
  expect(candidates.map(({ content }) => content)).toEqual([
    'The user lives in Paris.',
    'Q: Which tea?\nA: Earl Grey 👩‍🚀 می‌خواهم',
  ]);
});
