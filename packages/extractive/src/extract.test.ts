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

describe('identity', () => {
  test.each([
    ["Hi, I'm Anna!", "identity name=Anna | The user's name is Anna."],
    ['My name is Anna Weber.', "identity name=Anna Weber | The user's name is Anna Weber."],
    ['my name is steve', "identity name=steve | The user's name is steve."],
    ['Call me Lou.', "identity name=Lou | The user's name is Lou."],
    ["I'm Sebastian", "identity name=Sebastian | The user's name is Sebastian."],
    ["I'm 34 years old", 'identity age=34 | The user is 34 years old.'],
    ['im 34', 'identity age=34 | The user is 34 years old.'],
    ['I live in Berlin with my wife.', 'identity home=Berlin | The user lives in Berlin with their wife.'],
    ["I've lived in Graz since 2016.", 'identity home=Graz | The user has lived in Graz since 2016.'],
    [
      'I moved to Lisbon last year for work.',
      'identity home=Lisbon | The user lives in Lisbon; moved there in 2022 for work.',
    ],
    [
      "I used to live in Berlin but now I'm in Vienna.",
      'identity home=Vienna | The user used to live in Berlin but now they are in Vienna.',
    ],
    ['Just moved to Oslo!', 'identity home=Oslo | The user lives in Oslo; moved there.'],
    ['I was born in Madrid.', 'identity birthplace=Madrid | The user was born in Madrid.'],
    ["I'm originally from Porto.", 'identity birthplace=Porto | The user is originally from Porto.'],
    [
      'I grew up in a small village in Norway.',
      'identity hometown=small village in Norway | The user grew up in a small village in Norway.',
    ],
    ["I'm Brazilian.", 'identity nationality=Brazilian | The user is Brazilian.'],
    ['My birthday is on 3 May.', "identity birthday=3 May | The user's birthday is on 3 May."],
    ["I'm left-handed.", 'identity | The user is left-handed.'],
    ["I'm a morning person.", 'identity | The user is a morning person.'],
    ['I live with my parents.', 'identity | The user lives with their parents.'],
    ['I speak fluent German.', 'identity language_german=speaks | The user speaks German.'],
    [
      'We moved to Bergen last weekend with our twins.',
      'identity home=Bergen | The user lives in Bergen; moved there on the weekend of 6 May 2023 with their twins.',
    ],
    ['Remember that I live in Bonn.', 'identity home=Bonn | The user lives in Bonn.'],
  ])('%s', (content, expected) => {
    expect(read(content).map((item) => short(item))).toEqual([expected]);
  });
});

describe('work and studies', () => {
  test.each([
    ['I work for Siemens.', 'work employer=Siemens | The user works for Siemens.'],
    ['I work as a nurse.', 'work job=nurse | The user works as a nurse.'],
    ["I'm a retired teacher", 'work job=retired teacher | The user is a retired teacher.'],
    [
      "I've just started a new job at Bosch.",
      'work employer=Bosch | The user has just started a new job at Bosch.',
    ],
    ['I work at a bank in Leeds.', 'work | The user works at a bank in Leeds.'],
    [
      'I own a bakery and coach kids on Saturdays.',
      'work | The user owns a bakery and coaches kids on Saturdays.',
    ],
    ["I'm studying medicine at Oxford.", 'work studies=medicine | The user is studying medicine at Oxford.'],
    ['I no longer work at Nokia.', 'preference | The user no longer works at Nokia.'],
  ])('%s', (content, expected) => {
    expect(read(content).map((item) => short(item))).toEqual([expected]);
  });
});

describe('people and animals', () => {
  test.each([
    ['My sister Mary is a doctor in Leeds.', "relationship | The user's sister Mary is a doctor in Leeds."],
    [
      'My brother Tom works at a bank in Leeds.',
      "relationship | The user's brother Tom works at a bank in Leeds.",
    ],
    ['My mother-in-law bakes amazing bread.', "relationship | The user's mother-in-law bakes amazing bread."],
    ["My daughter Emma doesn't like school.", "relationship | The user's daughter Emma doesn't like school."],
    ['My best friend Sam lives in Dublin.', "relationship | The user's best friend Sam lives in Dublin."],
    ['My parents moved to Spain in 2010.', "relationship | The user's parents moved to Spain in 2010."],
    ['I have two kids.', 'relationship | The user has two kids.'],
    [
      "We've got twins, Otto and Lena, who are six.",
      'relationship | The user has twins, Otto and Lena, who are six.',
    ],
    ['My wife is called Julia.', "relationship partner=Julia | The user's wife is called Julia."],
    ["My husband's name is Peter", "relationship partner=Peter | The user's husband's name is Peter."],
    ["I'm married to Julia.", 'relationship partner=Julia | The user is married to Julia.'],
    ['My sister is called Mary', "relationship sister_mary=Mary | The user's sister is called Mary."],
    [
      'We got married on May 7th.',
      'relationship relationship_status=married | The user got married on 7 May 2023.',
    ],
    ["We're expecting a baby in June.", 'relationship | The user is expecting a baby in June 2023.'],
    ['I have a dog called Rex.', 'relationship pet_rex=dog | The user has a dog called Rex.'],
    ['my cat is named Luna', "relationship pet_luna=cat | The user's cat is named Luna."],
    ['We have two cats named Luna and Milo.', 'relationship | The user has two cats named Luna and Milo.'],
    ['My cat Luna is five.', "relationship | The user's cat Luna is five."],
    ['My brother and I went fishing.', 'event | The user and their brother went fishing.'],
  ])('%s', (content, expected) => {
    expect(read(content).map((item) => short(item))).toEqual([expected]);
  });
});

describe('tastes, habits, health, belongings', () => {
  test.each([
    ['I love hiking.', 'preference taste_hiking=loves | The user loves hiking.'],
    [
      'I love rainy Sundays and old jazz records.',
      'preference taste_rainy_sundays_and_old_jazz_records=loves | The user loves rainy Sundays and old jazz records.',
    ],
    ['I hate cilantro', 'preference taste_cilantro=dislikes | The user hates cilantro.'],
    ["I can't stand loud music.", "preference taste_loud_music=dislikes | The user can't stand loud music."],
    ['I prefer tea to coffee.', 'preference | The user prefers tea to coffee.'],
    ['I like to draw in the evenings.', 'preference | The user likes to draw in the evenings.'],
    ["I don't eat meat.", "preference | The user doesn't eat meat."],
    ['I never drink coffee after noon.', 'preference | The user never drinks coffee after noon.'],
    ["We don't have kids.", "preference | The user doesn't have kids."],
    [
      'My favourite colour is green.',
      "preference favourite_colour=green | The user's favourite colour is green.",
    ],
    [
      'My favorite color is green.',
      "preference favourite_colour=green | The user's favorite color is green.",
    ],
    ['Dune is my favorite book', "preference favourite_book=Dune | Dune is the user's favorite book."],
    [
      'I play the guitar and sing in a choir.',
      'preference | The user plays the guitar and sings in a choir.',
    ],
    [
      'I usually wake up at 6 and go for a run.',
      'preference | The user usually wakes up at 6 and goes for a run.',
    ],
    ["I'm into photography.", 'preference | The user is into photography.'],
    ['I used to live in Paris.', 'identity | The user used to live in Paris.'],
    ["I'm vegetarian.", 'health diet=vegetarian | The user is vegetarian.'],
    ["I've been vegan for two years.", 'health diet=vegan | The user has been vegan for two years.'],
    ["I'm allergic to peanuts.", 'health allergy_peanuts=peanuts | The user is allergic to peanuts.'],
    ["I'm allergic to my cat.", 'health | The user is allergic to their cat.'],
    ['I have a severe nut allergy', 'health allergy_nut=nut | The user has a nut allergy.'],
    [
      'I was diagnosed with type 2 diabetes in 2019.',
      'health | The user was diagnosed with type 2 diabetes in 2019.',
    ],
    ['I quit smoking three years ago.', 'health | The user quit smoking in 2020.'],
    ['I drive a red Volvo.', 'possession | The user drives a red Volvo.'],
    ['I use VS Code with vim keybindings.', 'possession | The user uses VS Code with vim keybindings.'],
    [
      'I do all my coding in Neovim on Arch Linux.',
      'possession | The user does all their coding in Neovim on Arch Linux.',
    ],
    ['My car is a 2015 Honda Civic.', "possession | The user's car is a 2015 Honda Civic."],
  ])('%s', (content, expected) => {
    expect(read(content).map((item) => short(item))).toEqual([expected]);
  });
});
