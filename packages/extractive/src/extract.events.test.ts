import { describe, expect, test } from '@jest/globals';
import { extractFromMessages } from './extract.ts';
import { type RawCandidate, parseReply } from '@factmill/extraction';

/** A Monday. */
const saidAt = new Date('2023-05-08T13:56:00Z');

function read(content: string, name?: string): RawCandidate[] {
  const message = { id: 'm1', seq: 1, role: 'user' as const, content, createdAt: saidAt };
  return parseReply(extractFromMessages([name === undefined ? message : { ...message, name }])).candidates;
}

/** `category key=value | content`, or `category | content`. */
function short(item: RawCandidate): string {
  return `${item.category}${item.key === null ? '' : ` ${item.key}=${item.value}`} | ${item.content}`;
}

describe('plans and events', () => {
  test.each([
    [
      "I'm planning to run a marathon in October.",
      'plan | The user is planning to run a marathon in October 2023.',
      null,
    ],
    ["I'm going to visit Japan next month.", 'plan | The user is going to visit Japan in June 2023.', null],
    ['I want to learn how to sail.', 'plan | The user wants to learn how to sail.', null],
    ["I'm saving for a house", 'plan | The user is saving for a house.', null],
    ['I decided to quit my job.', 'plan | The user decided to quit their job.', null],
    [
      'My goal is to read 50 books this year.',
      "plan | The user's goal is to read 50 books in 2023.",
      '2023-01-01',
    ],
    [
      'My flight to Madrid is tomorrow at 5pm.',
      "plan | The user's flight to Madrid is on 9 May 2023 at 17:00.",
      null,
    ],
    [
      'I have an appointment with my dentist next Tuesday.',
      'plan | The user has an appointment with their dentist on 16 May 2023.',
      null,
    ],
    [
      'I went to a pottery class yesterday.',
      'event | The user went to a pottery class on 7 May 2023.',
      '2023-05-07',
    ],
    [
      'Yesterday, I went to a pottery class.',
      'event | On 7 May 2023, the user went to a pottery class.',
      '2023-05-07',
    ],
    [
      'Last Friday I met my cousin for lunch.',
      'event | On 5 May 2023, the user met their cousin for lunch.',
      '2023-05-05',
    ],
    [
      'Went to the museum last weekend',
      'event | The user went to the museum on the weekend of 6 May 2023.',
      '2023-05-06',
    ],
    [
      'I bought a new bike last week',
      'event | The user bought a new bike in the week of 1 May 2023.',
      '2023-05-01',
    ],
    [
      'I read a book about Rome last week.',
      'event | The user read a book about Rome in the week of 1 May 2023.',
      '2023-05-01',
    ],
    [
      'I started learning Spanish last month.',
      'event | The user started learning Spanish in April 2023.',
      '2023-04-01',
    ],
    [
      "I've been playing the violin for ten years.",
      'event | The user has been playing the violin for ten years.',
      null,
    ],
    ['I have visited Kenya twice', 'event | The user has visited Kenya twice.', null],
    // A plan holds from when it is told: its day stands in its text alone.
  ])('%s', (content, expected, validFrom) => {
    expect(read(content).map((item) => [short(item), item.validFrom])).toEqual([[expected, validFrom]]);
  });
});

describe('several statements', () => {
  test.each<[string, string[]]>([
    ['My name is Anna and I live in Berlin.', ["The user's name is Anna.", 'The user lives in Berlin.']],
    ['I live in Berlin and work as a baker.', ['The user lives in Berlin.', 'The user works as a baker.']],
    [
      "I'm a software engineer at Google",
      ['The user is a software engineer at Google.', 'The user works at Google.'],
    ],
    [
      "I'm allergic to peanuts, shellfish and cats.",
      [
        'The user is allergic to peanuts.',
        'The user is allergic to shellfish.',
        'The user is allergic to cats.',
      ],
    ],
    ["I'm vegetarian, what should I cook tonight?", ['The user is vegetarian.']],
    ['I live in Turin, can you recommend a restaurant?', ['The user lives in Turin.']],
    [
      "Hey! Thanks, that works. By the way, I'm moving to Rome next month.",
      ['The user is moving to Rome in June 2023.'],
    ],
    [
      '- I live in Ulm\n- I have three cats\n- how are you?',
      ['The user lives in Ulm.', 'The user has three cats.'],
    ],
    ["I'm Steve, 42, from Texas.", ["The user's name is Steve.", 'The user is 42 years old.']],
    ['I live in Ulm. I live in Ulm.', ['The user lives in Ulm.']],
    ['I love jazz and I play the drums.', ['The user loves jazz.', 'The user plays the drums.']],
    [
      "I'm planning a trip to Rome in June. The hotel is near the station. What should I see?",
      ['The user is planning a trip to Rome in June 2023. The hotel is near the station.'],
    ],
    ['I need a list of planets. It should be sorted by mass.', []],
  ])('%s', (content, expected) => {
    expect(read(content).map((item) => item.content)).toEqual(expected);
  });
});
