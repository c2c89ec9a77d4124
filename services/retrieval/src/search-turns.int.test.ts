import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Retrieval } from './create-retrieval.ts';
import { openRetrievalUnderTest, searchOver } from './retrieval.fixture.ts';

type Under = Awaited<ReturnType<typeof openRetrievalUnderTest>>;
let under: Under;
let retrieval: Retrieval;
const user_id = 'maya';

beforeAll(async () => {
  under = await openRetrievalUnderTest();
  retrieval = await under.start();
  await under.remember(user_id, [
    'The user lives in Lisbon.',
    'The user has a dog named Rex.',
    'The user plays the cello.',
    'The user works as a nurse.',
    'The user is allergic to peanuts.',
    'The user drives an old Volvo.',
  ]);
  await under.say(user_id, 'food', [
    { id: 'f1', role: 'user', content: 'Where can I eat good ramen on Saturday?' },
    { id: 'f2', role: 'assistant', content: 'I recommend the restaurant Koppu in Príncipe Real.' },
    { id: 'f3', role: 'user', content: 'Thanks, I will look for Blauwe Vis in Rotterdam as well.' },
  ]);
  await under.say('noah', 'other', [
    { id: 'o1', role: 'assistant', content: 'The restaurant Koppu is closed.' },
  ]);
});
afterAll(() => under.close());

const ask = async (query: string, more: object = {}) =>
  (await searchOver(retrieval, { query, user_id, ...more })).results;
const turnsOf = async (query: string, more: object = {}) =>
  (await ask(query, more)).flatMap(({ turn }) => turn?.message_id ?? []);

describe('what was said', () => {
  test('is found by default, and it is shown who said it', async () => {
    const results = await ask('Which restaurant did you recommend?');
    const said = results.find(({ turn }) => turn?.message_id === 'f2');
    expect(said).toMatchObject({
      turn: { conversation_id: 'food', role: 'assistant' },
      channels: ['turns'],
      memory: { source: 'turn', provenance: { message_ids: ['f2'] } },
    });
    expect(results.indexOf(said as never)).toBeLessThan(3);
  });

  test('is found by meaning and by a rare word, of this user only', async () => {
    expect(await turnsOf('a place for Japanese noodles')).toContain('f1');
    expect((await ask('Blauwe'))[0]?.turn?.message_id).toBe('f3');
    expect((await ask('Koppu'))[0]?.turn?.message_id).toBe('f2');
    expect(await turnsOf('Koppu closed')).not.toContain('o1');
  });

  test('gives way where a memory that rests on it is found', async () => {
    await under.database.query(
      `insert into extractions (id, tenant_id, user_id, conversation_id, from_seq, to_seq, state, trigger, preset)
       select '00000000-0000-7000-8000-00000000aaaa', tenant_id, user_id, id, 1, 3, 'done', 'request', 'standard'
       from conversations where id = 'food'`,
    );
    const [id] = await under.remember(user_id, [
      {
        content: 'The user wants to look for Blauwe Vis in Rotterdam.',
        messageIds: ['f3'],
        extractionId: '00000000-0000-7000-8000-00000000aaaa',
      } as never,
    ]);
    await under.database.query(
      `update memories set extraction_id = '00000000-0000-7000-8000-00000000aaaa' where id = $1::uuid`,
      [id],
    );
    const [first] = await ask('Blauwe Vis');
    expect(first).toMatchObject({ memory: { id }, channels: expect.arrayContaining(['turns', 'text']) });
    expect(await turnsOf('Blauwe Vis')).not.toContain('f3');
  });

  test('is left out where a search is for memories, or asks for that', async () => {
    for (const more of [
      { include_turns: false },
      { mode: 'classic' },
      { channels: ['vector', 'text'] },
      { filters: { kinds: ['note'] } },
      { scopes: ['global'] },
      { filters: { conversation_id: 'elsewhere' } },
    ]) {
      expect(await turnsOf('Koppu', more)).toEqual([]);
    }
    expect(await turnsOf('Koppu', { mode: 'classic', include_turns: true })).toEqual(['f2']);
    const without = await under.start({ SEARCH_TURNS: 'false' });
    const { results } = await searchOver(without, { query: 'Koppu', user_id });
    expect(results.filter(({ turn }) => turn !== undefined)).toEqual([]);
  });

  test('replies that were replaced are not found, nor what no extraction has read', async () => {
    await under.database.query(`update messages set superseded = true where id = 'f2'`);
    expect(await turnsOf('Koppu')).toEqual([]);
    await under.database.query(`update messages set superseded = false where id = 'f2'`);
    await under.database.query(`update conversations set extracted_seq = 1 where id = 'food'`);
    expect(await turnsOf('Koppu')).toEqual([]);
    const [pending] = await ask('Koppu', { include_pending: true });
    expect(pending).toMatchObject({ pending: true, turn: { message_id: 'f2' } });
    await under.database.query(`update conversations set extracted_seq = 3 where id = 'food'`);
  });
});

describe('a context block', () => {
  const context = async (more: object) => {
    const response = await fetch(`${retrieval.url}/v1/context`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user_id, query: 'Which restaurant did you recommend?', limit: 3, ...more }),
    });
    return response.text();
  };

  test('says that the assistant said it', async () => {
    expect(await context({ format: 'augmented' })).toContain('[assistant] I recommend the restaurant Koppu');
    expect(await context({ format: 'augmented', include_turns: false })).not.toContain('Koppu');
    for (const format of ['section', 'facts']) {
      expect(await context({ format })).toMatch(/assistant[^"]*I recommend the restaurant Koppu/i);
    }
  });

  test('has nothing from conversations that keep what they know to themselves', async () => {
    await under.database.query(`update extractions set preset = 'reconciled'`);
    expect(await context({ format: 'augmented' })).not.toContain('Koppu');
    expect(await context({ format: 'augmented', conversation_id: 'food' })).toContain('Koppu');
    await under.database.query(`update extractions set preset = 'standard'`);
  });
});
