import { describe, expect, test } from '@jest/globals';
import { resolveDates } from './dates.ts';

/** A Monday afternoon. */
const saidAt = new Date('2023-05-08T13:56:00Z');

describe('resolveDates', () => {
  test.each([
    ['I went there yesterday', 'I went there on 7 May 2023', '2023-05-07'],
    ['I leave tomorrow', 'I leave on 9 May 2023', '2023-05-09'],
    ['I swam today', 'I swam on 8 May 2023', '2023-05-08'],
    ['I slept badly last night', 'I slept badly on 7 May 2023', '2023-05-07'],
    ['I moved last year', 'I moved in 2022', '2022'],
    ['I am moving next year', 'I am moving in 2024', '2024'],
    ['I am moving next month', 'I am moving in June 2023', '2023-06'],
    ['I moved last month', 'I moved in April 2023', '2023-04'],
    ['I moved since last month', 'I moved since April 2023', '2023-04'],
    ['I moved three years ago', 'I moved in 2020', '2020'],
    ['I moved 2 months ago', 'I moved in March 2023', '2023-03'],
    ['I moved two weeks ago', 'I moved around 24 April 2023', '2023-04-24'],
    ['I moved 3 days ago', 'I moved on 5 May 2023', '2023-05-05'],
    ['I moved last week', 'I moved in the week of 1 May 2023', '2023-05-01'],
    ['I am moving next week', 'I am moving in the week of 15 May 2023', '2023-05-15'],
    ['I moved last Friday', 'I moved on 5 May 2023', '2023-05-05'],
    ['I moved on Saturday', 'I moved on 6 May 2023', '2023-05-06'],
    ['I am moving on Saturday', 'I am moving on 13 May 2023', '2023-05-13'],
    ['I will move on Sunday', 'I will move on 14 May 2023', '2023-05-14'],
    ['I will move on Monday', 'I will move on 8 May 2023', '2023-05-08'],
    ['I need it by Friday', 'I need it by 12 May 2023', '2023-05-12'],
    ['I have to speak on Sunday', 'I have to speak on 14 May 2023', '2023-05-14'],
    ['my visa expires on March 9', 'my visa expires on 9 March 2024', '2024-03-09'],
    ['my exam got moved to the 3rd of March', 'my exam got moved to 3 March 2024', '2024-03-03'],
    ['I hope to run it by next October', 'I hope to run it by October 2023', '2023-10'],
    ['I am moving next March', 'I am moving in March 2024', '2024-03'],
    ['I moved last October', 'I moved in October 2022', '2022-10'],
    ['I am moving next Tuesday', 'I am moving on 16 May 2023', '2023-05-16'],
    ['I hiked over the weekend', 'I hiked on the weekend of 6 May 2023', '2023-05-06'],
    ['I hiked two weekends ago', 'I hiked on the weekend of 29 April 2023', '2023-04-29'],
    ['I moved last summer', 'I moved in the summer of 2022', '2022-06'],
    ['I am moving this summer', 'I am moving in the summer of 2023', '2023-06'],
    ['I moved last winter', 'I moved in the winter of 2022', '2022-12'],
    ['I moved on June 3rd', 'I moved on 3 June 2022', '2022-06-03'],
    ['I am moving on June 3rd', 'I am moving on 3 June 2023', '2023-06-03'],
    ['I am moving in October', 'I am moving in October 2023', '2023-10'],
    ['I moved in October', 'I moved in October 2022', '2022-10'],
    ['I moved on 7 May 2021', 'I moved on 7 May 2021', '2021-05-07'],
    ['I moved in March 2019', 'I moved in March 2019', '2019-03'],
    ['I moved in 2019', 'I moved in 2019', '2019'],
    ['I am painting the house this week', 'I am painting the house in the week of 8 May 2023', '2023-05-08'],
    ['I moved the week before last', 'I moved in the week of 24 April 2023', '2023-04-24'],
    ['I moved the month before last', 'I moved in March 2023', '2023-03'],
    ['I moved the year before last', 'I moved in 2021', '2021'],
    ['I moved the weekend before last', 'I moved on the weekend of 29 April 2023', '2023-04-29'],
    ['I moved the Friday before last', 'I moved on 28 April 2023', '2023-04-28'],
    ['I moved the Monday before last', 'I moved on 24 April 2023', '2023-04-24'],
    ['I am moving the Monday after next', 'I am moving on 22 May 2023', '2023-05-22'],
    ['it expires in October next year', 'it expires in October 2024', '2024-10'],
    ['I moved in June of last year', 'I moved in June 2022', '2022-06'],
    ['I moved in the summer of last year', 'I moved in the summer of 2022', '2022-06'],
    ['they visit the week after next', 'they visit in the week of 22 May 2023', '2023-05-22'],
    ['I am moving the weekend after next', 'I am moving on the weekend of 20 May 2023', '2023-05-20'],
    ['I am moving the month after next', 'I am moving in July 2023', '2023-07'],
    ['I start a week from Thursday', 'I start on 18 May 2023', '2023-05-18'],
    ['I start in two weeks from tomorrow', 'I start on 23 May 2023', '2023-05-23'],
    ['I worked until 3 am last night', 'I worked until 8 May 2023 at 03:00', '2023-05-08'],
    ['I fell asleep at 12:30 a.m. last night', 'I fell asleep on 8 May 2023 at 00:30', '2023-05-08'],
    ['I ate at 10 pm last night', 'I ate on 7 May 2023 at 22:00', '2023-05-07'],
    ['my holiday is in late June', 'my holiday is in late June 2023', '2023-06'],
    ['my course starts in mid-January', 'my course starts in mid-January 2024', '2024-01'],
    ['I submit it by the end of next month', 'I submit it by the end of June 2023', '2023-06'],
    ['I quit at the end of last year', 'I quit at the end of 2022', '2022'],
    ['I moved two and a half years ago', 'I moved around November 2020', '2020-11'],
    ['I moved a year and a half ago', 'I moved around November 2021', '2021-11'],
    ['I moved half a year ago', 'I moved around November 2022', '2022-11'],
    ['I moved a fortnight ago', 'I moved around 24 April 2023', '2023-04-24'],
    ['I am moving in a fortnight', 'I am moving around 22 May 2023', '2023-05-22'],
    ['tomorrow is my last day at Bosch', '9 May 2023 is my last day at Bosch', '2023-05-09'],
    ['our baby is due in March', 'our baby is due in March 2024', '2024-03'],
    ['I moved in May', 'I moved in May 2023', '2023-05'],
    ['I moved in march', 'I moved in March 2023', '2023-03'],
    ['she may call in April', 'she may call in April 2024', '2024-04'],
    [
      'I have interviews next week, on Tuesday and on Sunday',
      'I have interviews in the week of 15 May 2023, on 16 May 2023 and on 21 May 2023',
      '2023-05-15',
    ],
    [
      'I was ill last week, from Saturday',
      'I was ill in the week of 1 May 2023, from 6 May 2023',
      '2023-05-01',
    ],
    ['I saw him on Sunday last week', 'I saw him on 7 May 2023', '2023-05-07'],
    ['I saw him on Monday last week', 'I saw him on 1 May 2023', '2023-05-01'],
    ['I fly on Tuesday next week', 'I fly on 16 May 2023', '2023-05-16'],
    ['I moved late last year', 'I moved late 2022', '2022'],
    ['I see him in the last week of June', 'I see him in the last week of June 2023', '2023-06'],
    ['the choir I sing in tomorrow', 'the choir I sing in on 9 May 2023', '2023-05-09'],
    ['last night was loud', '7 May 2023 was loud', '2023-05-07'],
    ['I painted two signs for June 3rd', 'I painted two signs for 3 June 2023', '2023-06-03'],
    ['I needed the form by June 3', 'I needed the form by 3 June 2023', '2023-06-03'],
    ["I am glowing after Ann's May 3 praise", "I am glowing after Ann's 3 May 2023 praise", '2023-05-03'],
    [
      'I am trying to use the feedback of May 3',
      'I am trying to use the feedback of 3 May 2023',
      '2023-05-03',
    ],
    ['I have worked there since October', 'I have worked there since October 2022', '2022-10'],
    ['I noted it on our May 4 Zoom call', 'I noted it on our 4 May 2023 Zoom call', '2023-05-04'],
    ['I fly home in three days', 'I fly home on 11 May 2023', '2023-05-11'],
    ['my exam is on Friday', 'my exam is on 12 May 2023', '2023-05-12'],
    ['I have a dentist appointment on Saturday', 'I have a dentist appointment on 13 May 2023', '2023-05-13'],
    ['our wedding is in January', 'our wedding is in January 2024', '2024-01'],
    ['we are expecting a child in April', 'we are expecting a child in April 2024', '2024-04'],
    ['my visa runs out in February', 'my visa runs out in February 2024', '2024-02'],
    ['I bought tickets for Hamlet on March 3', 'I bought tickets for Hamlet on 3 March 2024', '2024-03-03'],
    ['I have been there in October', 'I have been there in October 2022', '2022-10'],
    ['I got an iPhone 15 last week', 'I got an iPhone 15 in the week of 1 May 2023', '2023-05-01'],
    ['my sabbatical is from July to December', 'my sabbatical is from July to December', null],
    ['I am away from 1 June', 'I am away from 1 June 2023', '2023-06-01'],
    ['I run a club on Friday nights', 'I run a club on Friday nights', null],
    [
      'I moved the wedding from 12 June to 3 July',
      'I moved the wedding from 12 June 2023 to 3 July 2023',
      '2023-06-12',
    ],
    [
      'I paid the deposit on 3 January and the rest is due on 28 June',
      'I paid the deposit on 3 January 2023 and the rest is due on 28 June 2023',
      '2023-01-03',
    ],
    ['I run Tuesday, Thursday and Sunday', 'I run Tuesday, Thursday and Sunday', null],
    ['I fly to Rome on Sunday', 'I fly to Rome on 14 May 2023', '2023-05-14'],
    ['I have flown there on Sunday', 'I have flown there on 7 May 2023', '2023-05-07'],
    ['I flew to Rome on Sunday', 'I flew to Rome on 7 May 2023', '2023-05-07'],
    [
      'I have a bruise from the match on Sunday',
      'I have a bruise from the match on 7 May 2023',
      '2023-05-07',
    ],
    ['my flight is tomorrow at 5pm', 'my flight is on 9 May 2023 at 17:00', '2023-05-09'],
  ])('%s', (text, expected, date) => {
    expect(resolveDates(text, saidAt)).toEqual({ text: expected, date });
  });

  test.each([
    'I like to march in parades',
    'I met May in Paris',
    'our fiscal year ends in June',
    'I came back after two weeks in hospital',
    'I stopped after 35 years of teaching',
    "over the past year I've lost 20 kilos",
    'I slept badly for the last three nights',
    'I slept badly the last three weeks',
    'I have lost weight in the last month',
    'I changed jobs twice in the past two years',
    'I read 12 books this past year',
    'within the next two years I want to move',
    'I am travelling over the next few months',
    'my last year at school was hard',
    'it rained on the last day of school',
    'I stay in Kiel for a fortnight',
    'I have painted for 4 years',
    'my birthday is on 3 May',
    'I swim every Monday',
    'I may march on',
    'I sat in the sun',
    'I live in Berlin',
    'I eat at 7',
    'my sons are Olek and Jan (9)',
    'June gave me a book',
    'it feels like yesterday',
    'I had a quiet weekend',
    'I write two hours daily, Monday to Friday',
    "I haven't slept well in a few days",
    'I painted the kitchen in two days',
    'it is the first rain in three weeks',
  ])('leaves alone: %s', (text) => {
    expect(resolveDates(text, saidAt)).toEqual({ text, date: null });
  });

  test('a weekday to come is none of the days before, at any hour', () => {
    expect(resolveDates('I will bake on Sunday', new Date('2026-11-23T02:49:00Z')).date).toBe('2026-11-29');
    expect(resolveDates('I baked on Sunday', new Date('2026-11-23T02:49:00Z')).date).toBe('2026-11-22');
  });

  test('speaks of the day in UTC whatever the machine', () => {
    expect(resolveDates('I went yesterday', new Date('2024-01-01T00:30:00Z')).text).toBe(
      'I went on 31 December 2023',
    );
    expect(resolveDates('I went yesterday', new Date('2024-01-01T23:30:00Z')).text).toBe(
      'I went on 31 December 2023',
    );
  });

  test.each([Number.NaN, -8_640_000_000_000_000, 8_640_000_000_000_000])(
    'leaves the text alone when the message has no date to count from: %p',
    (time) => {
      expect(resolveDates('I went yesterday', new Date(time))).toEqual({
        text: 'I went yesterday',
        date: null,
      });
    },
  );
});
