import { describe, expect, test } from '@jest/globals';
import { extractFromMessages } from './extract.ts';
import { type RawCandidate, type TranscriptMessage, parseReply } from '@factmill/extraction';

/** A Wednesday. */
const saidAt = new Date('2026-04-15T18:00:00Z');

/** `Ann: text` lines, one message each. */
function read(...lines: string[]): RawCandidate[] {
  const messages = lines.map((line, index): TranscriptMessage => {
    const [name = '', content = ''] = line.split(/: (.*)/su);
    return { id: `m${index}`, seq: index, role: 'user', name, content, createdAt: saidAt };
  });
  return parseReply(extractFromMessages(messages)).candidates;
}

function contents(...lines: string[]): string[] {
  return read(...lines).map((item) => item.content ?? '');
}

describe('what people tell each other', () => {
  test.each([
    [
      'Ann: I joined a rowing club yesterday and it was so much fun!',
      'Ann joined a rowing club on 14 April 2026 and it was so much fun.',
    ],
    [
      "Ann: The choir has made me feel at home. We sing old sea songs. It's a great way to unwind after long shifts!",
      "The choir has made Ann feel at home. Ann sings old sea songs. It's a great way to unwind after long shifts.",
    ],
    ['Ann: Lost my job at the bakery last month.', 'Ann lost their job at the bakery in March 2026.'],
    [
      'Ann: Researching boarding schools for my twins.',
      'Ann is researching boarding schools for their twins.',
    ],
    [
      'Ann: Two colleagues of mine and I went sailing last weekend.',
      'Ann and two colleagues of theirs went sailing on the weekend of 11 April 2026.',
    ],
    [
      "Ann: Here's a photo of our rowing boat Bella at the lake.",
      'Ann shared a photo of their rowing boat Bella at the lake.',
    ],
    [
      'Ann: When my tomatoes ripen, we sell them at the market in Leeds.',
      "When Ann's tomatoes ripen, they sell them at the market in Leeds.",
    ],
    ['Ann: I loved "The Summer Book" by Tove Jansson.', 'Ann loved "The Summer Book" by Tove Jansson.'],
    [
      'Ann: I gave a talk at the club I sing at yesterday.',
      'Ann gave a talk at the club they sing at on 14 April 2026.',
    ],
    ['Ann: Taking breaks from screens helps my eyes.', "Taking breaks from screens helps Ann's eyes."],
    [
      'Ann: The lighthouse museum has a collection of antique lamps.',
      'According to Ann, the lighthouse museum has a collection of antique lamps.',
    ],
    [
      "Ann: It's hard to run a bakery when you don't sleep and the ovens break.",
      "According to Ann, it's hard to run a bakery when people don't sleep and the ovens break.",
    ],
    [
      'Ann: Since our last chat, I have been painting boats in Porto.',
      'Ann has been painting boats in Porto.',
    ],
    [
      'Ann: When I was younger, my family and I went to the lakes.',
      'When Ann was younger, their family and they went to the lakes.',
    ],
    [
      'Ann: It helps a lot at the clinic when you have patient friends supporting you.',
      'According to Ann, it helps a lot at the clinic when people have patient friends supporting them.',
    ],
    ['Ann: In the choir in Porto I can be me.', 'In the choir in Porto Ann can be themselves.'],
    ['Ann: I really want to see Miami one day!', 'Ann really wants to see Miami one day.'],
    ['Ann: Been busy volunteering at the harbour.', 'Ann has been busy volunteering at the harbour.'],
    [
      'Ann: The museum honours our veterans with an evening of songs.',
      'According to Ann, the museum honours the veterans with an evening of songs.',
    ],
  ])('%s', (line, expected) => {
    expect(contents(line)).toEqual([expected]);
  });

  test.each([
    "Ann: We haven't talked in a few days.",
    "Ann: I'm keen to hear about the lighthouse.",
    'Ann: I can imagine how rewarding that trip to Porto was.',
    'Ann: Was it a good call to sell the boat before the winter, or not?',
    'Ann: Hey Bob! Nice that you are here! How is it going?',
    "Ann: Wow, that's awesome! Congrats!",
    'Ann: Thanks, that is kind of you to say!',
    "Ann: You're doing fine! Keep going!",
    "Ann: Can't wait to hear how it ends. Sleep well!",
    "Ann: That's so sweet. I'm so happy for you!",
    'Ann: Have you been to the new museum by the harbour?',
    'Ann: If I won the lottery, I would buy a castle in Scotland.',
    "Ann: Let's catch up soon, buddy!",
    "Ann: Yes, it's so fun!",
    'Ann: Maybe they will open a swimming pool near the station.',
    'Ann: My password for the bank is swordfish.',
  ])('is not small talk: %s', (line) => {
    expect(contents(line)).toEqual([]);
  });

  test('keeps one memory of a message, with its date and where it comes from', () => {
    const [note, ...rest] = read(
      'Ann: Hi Bob!',
      'Bob: Hey! Last Friday we took the kids to a pottery workshop. They made mugs and bowls. It was lovely, thanks for asking!',
    );
    expect(rest).toEqual([]);
    expect(note).toMatchObject({
      kind: 'note',
      category: 'event',
      confidence: '75',
      messageIds: ['m1'],
      validFrom: '2026-04-10',
      content: 'On 10 April 2026, Bob took the kids to a pottery workshop. They made mugs and bowls.',
    });
  });

  test('keeps paragraphs apart, and attributes with a key as facts', () => {
    expect(
      read('Ann: I live in Ulm.\nI adopted a greyhound in 2019.\nI visited Kenya twice with my aunt.').map(
        ({ key, content }) => [key, content],
      ),
    ).toEqual([
      ['ann_home', 'Ann lives in Ulm.'],
      [null, 'Ann adopted a greyhound in 2019.'],
      [null, 'Ann visited Kenya twice with their aunt.'],
    ]);
  });
});

test('a name that begins a sentence stays one', () => {
  const [first, second] = contents(
    'Bob: Our dog Max is eleven.',
    'Ann: Max looks peaceful in that old photo.',
  );
  expect([first, second]).toEqual([
    "Bob's dog Max is eleven.",
    'According to Ann, Max looks peaceful in that old photo.',
  ]);
});

describe('answers carry what was asked', () => {
  test.each([
    [
      'What kind of art do you make?',
      'Painting and drawing mostly!',
      'Bob makes art: Painting and drawing mostly.',
    ],
    [
      'How long have you been married?',
      'Five years already!',
      'How long Bob has been married: Five years already.',
    ],
    [
      'Where did you go for your honeymoon?',
      'Mostly the Azores.',
      'Where Bob went for their honeymoon: Mostly the Azores.',
    ],
    [
      'What made you try pottery?',
      'My aunt Rosa runs a studio in Porto.',
      "What made Bob try pottery? Bob's aunt Rosa runs a studio in Porto.",
    ],
    ['Do you have any pets?', 'Nope!', 'Whether Bob has any pets: no.'],
    [
      'Have you ever been to Norway?',
      'Yes, with my dad in 2015.',
      "Bob has been to Norway. With Bob's dad in 2015.",
    ],
    [
      "What's your favourite season?",
      'Autumn, the leaves are golden.',
      "What Bob's favourite season is: Autumn, the leaves are golden.",
    ],
  ])('%s %s', (question, answer, expected) => {
    expect(contents(`Ann: Hi Bob! ${question}`, `Bob: ${answer}`)).toEqual([expected]);
  });

  test('and come from both messages, with who asked', () => {
    const [wish, item] = read(
      'Ann: I want to see Miami! Where do you want to celebrate New Year?',
      'Bob: In Miami!',
    );
    expect(wish).toMatchObject({
      content: 'Ann wants to see Miami.',
      messageIds: ['m0'],
      sourceContext: null,
    });
    expect(item).toMatchObject({
      content: 'Where Bob wants to celebrate New Year: In Miami.',
      messageIds: ['m0', 'm1'],
      sourceContext: 'Ann asked: Where do you want to celebrate New Year?',
    });
  });

  test.each([
    ['How was it?', 'Bob adopted a greyhound from a shelter in Leeds.'],
    ['How are you?', 'Bob adopted a greyhound from a shelter in Leeds.'],
    ['Want to tell me more?', 'Bob adopted a greyhound from a shelter in Leeds.'],
  ])('but not an empty question: %s', (question, expected) => {
    expect(contents(`Ann: ${question}`, 'Bob: I adopted a greyhound from a shelter in Leeds.')).toEqual([
      expected,
    ]);
  });

  test.each(["It's swordfish99 and the backup is hunter2.", 'My dog Rex and the year we met.'])(
    'but never what a secret is: %s',
    (answer) => {
      expect(contents("Ann: What's the password of your bank account?", `Bob: ${answer}`)).toEqual([]);
    },
  );

  test('only of the message right before, by somebody with another name', () => {
    const answer = 'Bob: I adopted a greyhound from a shelter in Leeds.';
    const plain = 'Bob adopted a greyhound from a shelter in Leeds.';
    expect(contents('Ann: Do you like cheese?', 'Ann: Hm.', answer)).toEqual([plain]);
    expect(contents('Bob: Do you like cheese?', answer)).toEqual([plain]);
  });
});

describe('people who are talked to', () => {
  test('are named when two people talk', () => {
    expect(
      contents(
        'Bob: Morning!',
        'Ann: I read the book about glaciers you recommended, Bob. Your sister drew the maps in it.',
      ),
    ).toEqual(["Ann reads the book about glaciers Bob recommended. Bob's sister drew the maps in it."]);
  });

  test('are not guessed among three', () => {
    expect(
      contents('Bob: Morning!', 'Cid: Morning!', 'Ann: I read the book about glaciers you recommended.'),
    ).toEqual([]);
  });
});
