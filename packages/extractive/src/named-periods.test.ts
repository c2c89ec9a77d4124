import { describe, expect, test } from '@jest/globals';
import { namedPeriods } from './named-periods.ts';

/** A Wednesday. */
const NOW = new Date('2026-06-17T09:30:00Z');
const read = (text: string) =>
  namedPeriods(text, NOW).periods.map(
    ({ from, until, anyYear }) =>
      [from, until].map((date) => date.toISOString().slice(0, 10)).join(' ') + (anyYear ? ' any year' : ''),
  );

describe('namedPeriods', () => {
  test.each([
    ['What did I do yesterday?', '2026-06-16 2026-06-17'],
    ['What did I buy last week?', '2026-06-08 2026-06-15'],
    ['What did I do last weekend?', '2026-06-13 2026-06-15'],
    ['What did I do last month?', '2026-05-01 2026-06-01'],
    ['What am I doing next Friday?', '2026-06-26 2026-06-27'],
    ['What did I buy on 7 Jan 2024?', '2024-01-07 2024-01-08'],
    ['What did we talk about on May 4th, 2023?', '2023-05-04 2023-05-05'],
    ['Where do I go on 2026-09-03?', '2026-09-03 2026-09-04'],
    ['2026-09', '2026-09-01 2026-10-01'],
    ['Which concert did I go to in April 2026?', '2026-04-01 2026-05-01'],
    ['What happened in 2019?', '2019-01-01 2020-01-01'],
    ['Where was I last summer?', '2025-06-01 2025-09-01'],
    ['What did I cook in the last three days?', '2026-06-14 2026-06-18'],
    ['How did I sleep the last two nights?', '2026-06-15 2026-06-18'],
    ['What did I buy over the past month?', '2026-05-18 2026-06-18'],
    ['What have I planned for the next two weeks?', '2026-06-17 2026-07-02'],
    ['What did I do the weekend before last?', '2026-06-06 2026-06-08'],
    ['What did I see in the last week of May 2025?', '2025-05-01 2025-06-01'],
    ['我上周买了什么？', '2026-06-08 2026-06-15'],
    ['我2023年5月7日做了什么？', '2023-05-07 2023-05-08'],
  ])('%s', (question, period) => {
    expect(read(question)).toEqual([period]);
  });

  test.each([
    ['What did I do on 16 May?', '2026-05-16 2026-05-17 any year'],
    ['What happened to me in January?', '2026-01-01 2026-02-01 any year'],
    ['What happens on 3 September?', '2026-09-03 2026-09-04 any year'],
    ['我5月16日去了哪里？', '2026-05-16 2026-05-17 any year'],
  ])('a date without a year may be of any: %s', (question, period) => {
    expect(read(question)).toEqual([period]);
  });

  test.each([
    'When is my birthday?',
    'Who is May?',
    'What may I eat?',
    'Is the sun bad for me?',
    'What is Entry 4321?',
    'Which of the 3 books did I like?',
    'Where did I live before 2019?',
    'How old is Mon Dieu?',
    'When did I march?',
    'x '.repeat(400) + 'yesterday',
  ])('no date: %s', (question) => {
    expect(namedPeriods(question, NOW)).toEqual({ periods: [], rest: question });
  });

  test('the rest is the question without the words of the date', () => {
    expect(namedPeriods('What did I buy on 7 Jan 2024 in Kiel?', NOW).rest).toBe('What did I buy  in Kiel?');
  });
});
