import { describe, expect, test } from '@jest/globals';
import { extractFromMessages } from './extract.ts';
import { asTheirOwn, meantBy, peopleIn } from './people.ts';
import { parseReply } from '@factmill/extraction';

function read(content: string): string[] {
  const message = {
    id: 'm1',
    seq: 1,
    role: 'user' as const,
    content,
    createdAt: new Date('2026-04-15T18:00:00Z'),
  };
  return parseReply(extractFromMessages([message])).candidates.map(
    (item) => `${item.key === null ? '' : `${item.key}=${item.value} | `}${item.content}`,
  );
}

describe('people in the life of the user', () => {
  test.each<[string, string[]]>([
    [
      'My sister Ingrid is visiting. She is allergic to peanuts.',
      [
        "ingrid_allergy_peanuts=peanuts | Ingrid, the user's sister, is allergic to peanuts.",
        "The user's sister Ingrid is visiting.",
      ],
    ],
    [
      "My daughter Mia starts school in August. She's vegetarian and she sings in a choir.",
      [
        "mia_diet=vegetarian | Mia, the user's daughter, is vegetarian.",
        "The user's daughter Mia starts school in August 2026. Mia sings in a choir.",
      ],
    ],
    ['My son is allergic to bees.', ["son_allergy_bees=bees | The user's son is allergic to bees."]],
    [
      'My wife is a nurse. Her favourite lake is in Finland.',
      ["The user's wife is a nurse. The user's wife's favourite lake is in Finland."],
    ],
  ])('%s', (content, expected) => {
    expect(read(content)).toEqual(expected);
  });

  test('never get their attributes mixed up with the user or each other', () => {
    const items = read('My brother Tom and my cousin Finn are coming. He is allergic to nuts.');
    expect(items.filter((item) => item.includes('allergic'))).toEqual([]);
    expect(read('He is allergic to nuts.')).toEqual([]);
  });
});

describe('meantBy', () => {
  const people = peopleIn('my sister Ingrid and my dog Rex met my brother');
  test.each([
    ['she sings', 'Ingrid'],
    ['her car is red', 'Ingrid'],
    ['it sings', undefined],
    ['Sheila sings', undefined],
  ])('%s', (clause, name) => {
    expect(meantBy(clause, people).map((person) => person.name)).toEqual(name === undefined ? [] : [name]);
  });

  test('is everybody who can be meant', () => {
    expect(meantBy('she sings', peopleIn('my sister Ingrid and my aunt Eva'))).toHaveLength(2);
    expect(meantBy('he sings', peopleIn('my brother Tom and my cousin Finn'))).toHaveLength(2);
  });
});

describe('asTheirOwn', () => {
  test.each([
    ['she is tall', true, 'I am tall'],
    ["he's a baker", true, 'I am a baker'],
    ['she works in Ulm', true, 'I work in Ulm'],
    ["he doesn't eat fish", true, "I don't eat fish"],
    ['her diet is vegan', true, 'my diet is vegan'],
    ['my sister Ingrid has asthma', false, 'I have asthma'],
    ['my son is tall', false, 'I am tall'],
    ['I am tall', false, null],
  ])('%s', (clause, isPronoun, expected) => {
    expect(asTheirOwn(clause, isPronoun)).toBe(expected);
  });
});
