import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Retrieval } from './create-retrieval.ts';
import { openRetrievalUnderTest, searchOver } from './retrieval.fixture.ts';

const NOW = new Date('2026-06-17T09:30:00Z');
let under: Awaited<ReturnType<typeof openRetrievalUnderTest>>;
let retrieval: Retrieval;

beforeAll(async () => {
  under = await openRetrievalUnderTest();
  retrieval = await under.start({}, { now: () => NOW });
});
afterAll(() => under.close());

const ask = async (user_id: string, query: string, more: object = {}) =>
  (await searchOver(retrieval, { query, user_id, ...more })).results;
const contents = async (...asked: Parameters<typeof ask>) =>
  (await ask(...asked)).map(({ memory }) => memory.content);

describe('filling up to the limit', () => {
  const user_id = 'filled';
  const told = [
    'The user keeps bees.',
    'The user keeps bees!',
    'The office opens at nine.',
    'Gas prices rose in March.',
    'A parcel is at the neighbour’s.',
    'The printer needs toner.',
    '她在北京大学学习物理',
  ];
  beforeAll(async () => {
    await under.remember(user_id, told);
  });

  test('is done when asked for, behind what was found, and each is marked', async () => {
    const found = await ask(user_id, 'Do I keep bees?', { min_similarity: 0.23 });
    expect(found.map(({ memory }) => memory.content)).toEqual([expect.stringContaining('bees')]);
    const filled = await ask(user_id, 'Do I keep bees?', { limit: 6, fill: true });
    expect(filled).toHaveLength(6);
    expect(filled[0]?.memory).toMatchObject({ id: found[0]?.memory.id });
    const more = filled.slice(1);
    expect(more.every(({ below_cutoff, score }) => below_cutoff === true && score === 0)).toBe(true);
    expect(more.at(-1)?.similarity).toBeUndefined();
    expect(new Set(filled.map(({ memory }) => memory.content.replace('!', '.')))).toHaveProperty('size', 6);
  });

  test('is done a little where nothing is found, with what is only just below the cutoff', async () => {
    await under.remember('weak', [
      'The user keeps bees.',
      'The office opens at nine.',
      'A parcel is at the neighbour’s.',
    ]);
    const query = 'How costly is heating?';
    const [first, ...others] = await ask('weak', query);
    expect(first).toMatchObject({
      memory: { content: 'A parcel is at the neighbour’s.' },
      below_cutoff: true,
    });
    for (const { below_cutoff, similarity } of others) {
      expect(below_cutoff).toBe(true);
      expect(similarity).toBeGreaterThanOrEqual(0.1);
    }
    expect(others.map(({ memory }) => memory.content)).not.toContain('The office opens at nine.');
    expect(await ask('weak', query, { min_similarity: 0.23 })).toEqual([]);
    expect(await ask('weak', query, { mode: 'vector' })).toEqual([]);
  });

  test.each(['fused', 'enhanced', 'vector', 'classic'])('in mode %s all memories are there', async (mode) => {
    const filled = await contents(user_id, 'zzz', { mode, limit: 50, fill: true, collapse: false });
    expect(filled.toSorted()).toEqual(told.toSorted());
    expect(await contents(user_id, 'zzz', { mode, limit: 50, channels: ['text'] })).toEqual([]);
  });

  test('without vectors it is the latest, and filters and thresholds hold', async () => {
    const chinese = await ask(user_id, '我养蜜蜂吗', { fill: true, limit: 4 });
    expect(chinese).toHaveLength(4);
    expect(chinese.every(({ similarity }) => similarity === undefined)).toBe(true);
    expect(await contents(user_id, 'bees', { fill: true, filters: { kinds: ['event'] } })).toEqual([]);
    const strict = await ask(user_id, 'printer', { fill: true, limit: 6, min_relevance: 0.99 });
    expect(strict[0]).toMatchObject({ below_cutoff: true, memory: { content: 'The printer needs toner.' } });
    const budget = await ask(user_id, 'printer', { fill: true, token_budget: 12 });
    expect(budget.length).toBeLessThan(4);
  });

  test('what only fills up does not count as read', async () => {
    const [id] = await under.remember('unread', ['A lighthouse on a rock.']);
    const service = await under.start();
    const { results } = await searchOver(service, { query: 'tax return', user_id: 'unread', fill: true });
    expect(results[0]).toMatchObject({ below_cutoff: true });
    await service.close();
    const { count } = await under.database.one<{ count: number }>(
      'select access_count as count from memories where id = $1::uuid',
      [id],
    );
    expect(count).toBe(0);
  });
});

describe('what is meant exactly', () => {
  const user_id = 'entries';
  const places = ['clock tower', 'harbour', 'town hall', 'bridge', 'mill'];
  beforeAll(async () => {
    const entries = Array.from(
      { length: 300 },
      (_, n) => `Entry ${4_200 + n}: the ${places[n % 5]} was painted.`,
    );
    const guests = Array.from({ length: 20 }, (_, n) => [
      `Played chess with guest13 in round ${n + 1}.`,
      `Played chess with guest1 in round ${n + 1}.`,
      `Played chess with guest31 in round ${n + 1}.`,
    ]).flat();
    await under.remember(user_id, [
      ...entries,
      ...guests,
      'Order QX-4411-B is for a desk.',
      'Order QX-4411-D is for a chair.',
      'Zbigniew lent the user a ladder.',
      'The user lent a neighbour a ladder and a saw.',
    ]);
  });

  test('a number or an identifier wins over what is merely like it', async () => {
    for (const number of [4_205, 4_321, 4_499]) {
      expect((await contents(user_id, `Entry ${number}`))[0]).toContain(`Entry ${number}:`);
      expect((await contents(user_id, `What was painted in entry ${number}?`))[0]).toContain(`${number}:`);
    }
    expect((await contents(user_id, 'What is order QX-4411-D for?'))[0]).toContain('chair');
    const guests = await contents(user_id, 'guest13');
    expect(guests).toHaveLength(15);
    expect(guests.every((content) => content.includes('guest13'))).toBe(true);
  });

  test('so does a name, in any case', async () => {
    for (const query of ['Who is Zbigniew?', 'what did zbigniew lend me'])
      expect((await contents(user_id, query))[0]).toContain('Zbigniew');
  });
});

describe('misspelt words', () => {
  const user_id = 'misspelt';
  beforeAll(async () => {
    await under.remember(user_id, [
      'The user is allergic to hazelnuts.',
      'The wedding anniversary is celebrated in Kraków.',
      'The user is Kapitän of the ferry.',
      'The user has an appointment with Dr Nguyen.',
      'The user collects stamps.',
      'The user owns a red bicycle.',
      'The user plays the piano.',
    ]);
  });

  test.each([
    ['alergies', 'hazelnuts'],
    ['hazlenuts', 'hazelnuts'],
    ['aniversary', 'anniversary'],
    ['krakow', 'Kraków'],
    ['kapitan', 'Kapitän'],
    ['apointment', 'appointment'],
    ['bycicle', 'bicycle'],
  ])('%s finds %s first', async (query, part) => {
    const [first] = await ask(user_id, query);
    expect(first?.memory.content).toContain(part);
    expect(first?.channels).toContain('trigram');
  });

  test('a word of its own finds nothing by spelling', async () => {
    const results = await ask(user_id, 'pliny', { channels: ['text', 'trigram'] });
    expect(results).toEqual([]);
  });
});

describe('dates', () => {
  const user_id = 'dates';
  beforeAll(async () => {
    const at = (day: string) => ({
      validFrom: new Date(`${day}T12:00:00Z`),
      statedAt: new Date(`${day}T12:00:00Z`),
    });
    await under.remember(user_id, [
      { content: 'The user visited the Alhambra.', ...at('2026-05-16') },
      { content: 'The user visited the Prado.', ...at('2026-05-18') },
      { content: 'The user bought a kayak.', ...at('2026-06-10') },
      { content: 'The user bought a tent.', ...at('2026-05-28') },
      { content: 'The user bought a book about travel and visits.', ...at('2024-01-07') },
      { content: 'The user flies to Lisbon on 3 September 2026.', ...at('2026-05-01') },
      { content: 'The user flies to Malta on 9 November 2026.', ...at('2026-05-01') },
      { content: '用户七月去日本', ...at('2026-03-01') },
    ]);
  });

  test.each([
    ['What did I visit on 16 May?', 'Alhambra'],
    ['What did I visit on 2026-05-18?', 'Prado'],
    ['What did I buy last week?', 'kayak'],
    ['What did I buy last month?', 'tent'],
    ['What did I buy on 7 Jan 2024?', 'book'],
    ['Where do I fly in September?', 'Lisbon'],
    ['Where am I flying on 9 November?', 'Malta'],
    ['我上周买了什么？', 'kayak'],
  ])('%s', async (query, part) => {
    const [first] = await ask(user_id, query);
    expect(first?.memory.content).toContain(part);
    expect(first?.channels).toContain('date');
  });

  test('a question about a day alone is answered by what was then', async () => {
    expect(await contents(user_id, '2026-06-10', { limit: 1 })).toEqual(['The user bought a kayak.']);
    expect(await contents(user_id, '16 May 2025', { channels: ['date'] })).not.toContain(
      'The user visited the Alhambra.',
    );
  });
});

test('the vector of a text that the model does not read finds nothing', async () => {
  const user_id = 'mixed';
  const unread = ['她在北京大学学习物理', '他喜欢喝乌龙茶', '周末去爬山', 'Она живёт в Москве'];
  await under.remember(user_id, [...unread, 'The user likes oolong tea.']);
  const english = await ask(user_id, 'Which tea do I like?', { min_similarity: -1, channels: ['vector'] });
  expect(english.map(({ memory }) => memory.content)).toEqual(['The user likes oolong tea.']);
  for (const { channels } of await ask(user_id, '乌龙茶', { min_similarity: -1 })) {
    expect(channels).not.toContain('vector');
  }
});
