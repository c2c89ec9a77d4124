import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ExtractorUnderTest, openExtractorUnderTest } from './extractor.fixture.ts';

let under: ExtractorUnderTest;
beforeAll(async () => {
  under = await openExtractorUnderTest({ env: { EMBEDDING_PROVIDER: 'local', EMBEDDING_MODEL: '' } });
  await under.start();
});
afterAll(() => under.close());

type Item = Readonly<{ key: string; value: string } | { q: string; a: string }>;
const fact = (key: string, value: string): Item => ({ key, value });
const about = (q: string, a: string): Item => ({ q, a });

/** What a model finds in three dozen conversations of one user over some weeks: most of it new, some of it again. */
const CONVERSATIONS: readonly (readonly Item[])[] = [
  [fact('name', 'Maya'), fact('home', 'Utrecht'), fact('job', 'nurse in a children’s hospital')],
  [
    fact('partner_name', 'Ingrid'),
    about('What pets does the user have?', 'The user has a dog called Bruno.'),
  ],
  [about('What sport does the user do?', 'The user goes rowing twice a week.')],
  [fact('diet', 'vegetarian'), fact('allergy', 'peanuts')],
  [],
  [about('What is the user planning for April?', 'The user plans to travel to Japan in April 2026.')],
  [fact('favourite_colour', 'dark green')],
  [about('Which instrument does the user play?', 'The user plays the trumpet in a jazz band.')],
  [
    fact('home', 'Utrecht'),
    about('How does the user get to work?', 'The user cycles to work along the canal.'),
  ],
  [],
  [about('What did the user study?', 'The user studied chemistry in Groningen.')],
  [fact('car', 'an old Volvo estate')],
  [about('What is the user reading?', 'The user is reading Moby Dick for the second time.')],
  [
    fact('editor', 'Vim'),
    about('Which database does the user’s project use?', 'The project stores its data in Postgres.'),
  ],
  [about('When does the user’s team meet?', 'The team meets every Tuesday at ten.')],
  [about('What is the user allergic to?', 'The user is allergic to peanuts.')],
  [],
  [about('What is the name of the user’s sister?', 'The user’s sister is called Noor and lives in Oslo.')],
  [about('What does the user drink in the morning?', 'The user drinks coffee black, without sugar.')],
  [fact('job', 'head nurse in a children’s hospital')],
  [about('What is the user’s goal for the year?', 'The user wants to run a half marathon in autumn.')],
  [fact('shoe_size', '43'), fact('birthday', '14 March')],
  [about('What is the user learning?', 'The user is learning Japanese with an app.')],
  [about('When does the user’s team meet now?', 'The team meets every Thursday at ten.')],
  [],
  [about('How does the user want answers?', 'The user wants short answers without small talk.')],
  [about('What is the dog’s name?', 'The dog is called Bruno.')],
  [fact('operating_system', 'Debian Linux')],
  [about('Where did the user spend the summer?', 'The user spent last summer in Portugal with Ingrid.')],
  [about('What does the user bake?', 'The user bakes bread every Sunday.')],
  [fact('home', 'Rotterdam')],
  [about('Why did the user move?', 'The user moved to Rotterdam to be nearer to the hospital.')],
  [about('What did the user decide about the boat?', 'The user decided to sell the boat in May.')],
  [],
  [about('Who is the user’s best friend?', 'The user’s best friend is Tomas, who teaches history.')],
  [about('What did the user book for Japan?', 'The user booked flights to Osaka for 4 April 2026.')],
];

test('standard needs at most 1.2 calls per extraction on a realistic mix', async () => {
  let found: readonly Item[] = [];
  under.model.setReply(({ endpoint, body }) => {
    if (endpoint !== 'chat') return undefined;
    if (JSON.stringify(body['messages']).includes('<new_facts>')) return { content: '[]' };
    const facts = found.filter((item) => 'key' in item);
    return { content: JSON.stringify({ facts, context: found.filter((item) => 'q' in item), event: null }) };
  });
  let calls = 0;
  let stored = 0;
  for (const [index, items] of CONVERSATIONS.entries()) {
    found = items;
    const said = [
      {
        content: `Conversation number ${index} about this and that.`,
        created_at: new Date(Date.UTC(2026, 0, index + 1)).toISOString(),
      },
    ];
    const row = await under.ledger(await under.extract(said, { preset: 'standard' }));
    expect(row).toMatchObject({ state: 'done', degraded: null });
    calls += row.modelCalls;
    stored += row.added + row.updated;
  }
  expect(stored).toBeGreaterThan(30);
  expect(calls / CONVERSATIONS.length).toBeLessThanOrEqual(1.2);
  expect(calls).toBeGreaterThan(CONVERSATIONS.length);
});
