import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Retrieval } from './create-retrieval.ts';
import { ASKED_AT, QUESTIONS, TOLD } from './plain-questions.fixture.ts';
import { openRetrievalUnderTest, searchOver } from './retrieval.fixture.ts';

const user_id = 'marta';
let under: Awaited<ReturnType<typeof openRetrievalUnderTest>>;
let retrieval: Retrieval;

beforeAll(async () => {
  under = await openRetrievalUnderTest();
  retrieval = await under.start({}, { now: () => ASKED_AT });
  await under.remember(
    user_id,
    TOLD.map(({ validFrom = '2026-02-01', ...told }) => {
      const at = new Date(`${validFrom}T12:00:00Z`);
      return { ...told, statedAt: at, validFrom: at };
    }),
  );
});
afterAll(() => under.close());

test('40 plain questions: the answer is first in most, among five in nearly all, and none stays empty', async () => {
  expect(QUESTIONS).toHaveLength(40);
  const asked: { query: string; rank: number; results: number }[] = [];
  for (const [query, answer] of QUESTIONS) {
    const { results, degraded } = await searchOver(retrieval, { query, user_id });
    expect({ query, degraded }).toEqual({ query, degraded: undefined });
    const rank = results.findIndex(({ memory }) => memory.content.includes(answer)) + 1;
    asked.push({ query, rank, results: results.length });
  }
  const share = (met: (one: (typeof asked)[number]) => boolean) => asked.filter(met).length / asked.length;
  const hits = {
    first: share(({ rank }) => rank === 1),
    amongFive: share(({ rank }) => rank > 0 && rank <= 5),
    empty: asked.filter(({ results }) => results === 0),
    // Shown when the test fails.
    behind: asked.filter(({ rank }) => rank !== 1),
  };
  const isEnough = hits.first >= 0.7 && hits.amongFive >= 0.9 && hits.empty.length === 0;
  expect({ ...hits, isEnough }).toEqual({ ...hits, isEnough: true });
});
