import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { INJECTION_CORPUS } from '@factmill/testkit';
import { type ExtractorUnderTest, openExtractorUnderTest } from './extractor.fixture.ts';

let under: ExtractorUnderTest;

beforeAll(async () => {
  under = await openExtractorUnderTest();
  await under.start();
});
afterAll(() => under.close());

describe('a model that obeys the attacker, end to end', () => {
  test.each(INJECTION_CORPUS)('$name', async (attempt) => {
    const userId = `victim of ${attempt.name}`;
    under.model.setReply(({ endpoint }) => (endpoint === 'chat' ? { content: attempt.reply } : undefined));
    const before = under.model.callCount;
    const id = await under.extract(attempt.messages, { userId, preset: attempt.preset });
    await under.ledger(id);
    expect(under.model.callCount).toBeGreaterThan(before);
    const contents = (await under.memories(userId)).map(({ content }) => content);
    expect(contents.toSorted()).toEqual([...attempt.through, ...attempt.honest].toSorted());
  });

  test('no other user has a memory of it', async () => {
    const { rows } = await under.database.query<{ user_id: string }>('select distinct user_id from memories');
    expect(rows.filter(({ user_id }) => !user_id.startsWith('victim of '))).toEqual([]);
  });

  test('what was said and answered is in no log', () => {
    expect(under.log()).not.toMatch(/hunter2|Evilbank|swordfish/);
  });
});
