import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createEmbedder } from './embedder.ts';
import { LOCAL_EMBEDDING_PROFILE } from './embedding-profiles.ts';

type Pair = readonly [string, string];

/** A question and the stored fact that answers it: sentences, and the `key: value` form of keyed facts. */
const RELATED: readonly Pair[] = [
  ['What is my favourite colour?', 'favourite colour: dark green'],
  ['Which colour do I like best?', 'The user likes the colour dark green best.'],
  ['Where do I live?', 'The user lives in Utrecht.'],
  ['Which city is my home?', 'home city: Utrecht'],
  ['What is my dog called?', 'dog name: Bruno'],
  ['Do I have any pets?', 'The user has a dog called Bruno.'],
  ['What do I do for a living?', 'The user works as a nurse in a children’s hospital.'],
  ['What is my job?', 'job: structural engineer'],
  ['Where do I work?', 'employer: city library'],
  ['Am I allergic to anything?', 'The user is allergic to peanuts.'],
  ['Which food should I avoid?', 'The user is allergic to peanuts.'],
  ['What can I cook for dinner?', 'diet: vegetarian'],
  ['Do I eat meat?', 'The user is a vegetarian.'],
  ['When is my birthday?', 'birthday: 14 March'],
  ['How old am I?', 'age: 42'],
  ['What is my wife’s name?', 'The user is married to Ingrid.'],
  ['How many children do I have?', 'The user has two children, a son and a daughter.'],
  ['What are my kids called?', 'children: Mira and Jonas'],
  ['Which car do I drive?', 'car: an old Volvo estate'],
  ['Which programming language do I prefer?', 'The user prefers Python for scripting.'],
  ['Which editor do I use?', 'editor: Vim'],
  ['Which database does my project use?', 'The project stores its data in Postgres.'],
  ['What operating system do I run?', 'operating system: Debian Linux'],
  ['What music do I like?', 'The user listens to jazz and plays the trumpet.'],
  ['Do I play an instrument?', 'instrument: trumpet'],
  ['What sport do I do?', 'The user goes rowing twice a week.'],
  ['What are my hobbies?', 'hobbies: rowing, chess and baking bread'],
  ['Where did I go on holiday last year?', 'The user spent last summer’s holiday in Portugal.'],
  ['Which trips am I planning?', 'The user plans to travel to Japan in April.'],
  ['Which languages do I speak?', 'languages: Dutch, English and some Japanese'],
  ['What am I learning at the moment?', 'The user is learning Japanese.'],
  ['What did I study?', 'The user studied chemistry at university.'],
  ['What is my goal this year?', 'goal: run a half marathon in autumn'],
  ['How do I take my coffee?', 'The user drinks coffee black, without sugar.'],
  ['What do I like to drink in the morning?', 'The user drinks coffee black, without sugar.'],
  ['Which film do I like most?', 'favourite film: Spirited Away'],
  ['What is my favourite book?', 'The user’s favourite book is Moby Dick.'],
  ['How do I want answers to be written?', 'The user wants short answers without small talk.'],
  ['What time do I get up?', 'The user gets up at half past five.'],
  ['When do I have my weekly meeting?', 'The team meeting is every Tuesday at ten.'],
  ['What size are my shoes?', 'shoe size: 43'],
  ['Who is my best friend?', 'The user’s best friend is Tomas.'],
];

/** Things a user may ask or say beside a fact that has nothing to do with it. */
const UNRELATED: readonly Pair[] = [
  ['What is my favourite colour?', 'The project stores its data in Postgres.'],
  ['Where do I live?', 'The user drinks coffee black, without sugar.'],
  ['What is my dog called?', 'operating system: Debian Linux'],
  ['What do I do for a living?', 'favourite film: Spirited Away'],
  ['Am I allergic to anything?', 'The team meeting is every Tuesday at ten.'],
  ['When is my birthday?', 'editor: Vim'],
  ['Which car do I drive?', 'The user studied chemistry at university.'],
  ['Which programming language do I prefer?', 'The user has a dog called Bruno.'],
  ['What music do I like?', 'shoe size: 43'],
  ['Which trips am I planning?', 'The user is allergic to peanuts.'],
  ['Which languages do I speak?', 'car: an old Volvo estate'],
  ['How do I take my coffee?', 'The user lives in Utrecht.'],
  ['How many children do I have?', 'The user prefers Python for scripting.'],
  ['What is the boiling point of water?', 'The user’s best friend is Tomas.'],
  ['Sort this list of numbers for me', 'The user is married to Ingrid.'],
  ['Write a regular expression that matches dates', 'The user goes rowing twice a week.'],
  ['Why is the build failing on the second step?', 'hobbies: rowing, chess and baking bread'],
  ['Translate this paragraph into French', 'diet: vegetarian'],
  ['How tall is the Eiffel Tower?', 'birthday: 14 March'],
  ['Explain how a hash table works', 'The user spent last summer’s holiday in Portugal.'],
];

/** The same thing said twice in nearly the same words: what a second extraction of one statement gives. */
const SAME: readonly Pair[] = [
  ['The user lives in Utrecht.', 'The user lives in Utrecht'],
  ['The user is allergic to peanuts.', 'User is allergic to peanuts.'],
  ['favourite colour: dark green', 'favourite color: dark green'],
  ['The user has a dog called Bruno.', 'The user has a dog named Bruno.'],
  ['The user drinks coffee black, without sugar.', 'The user drinks black coffee without sugar.'],
  ['The team meeting is every Tuesday at ten.', 'The team meeting is on Tuesdays at ten.'],
];

/** Alike in words, different in fact. Taking one for the other would lose a memory. */
const DIFFERENT: readonly Pair[] = [
  ['The user lives in Utrecht.', 'The user lives in Rotterdam.'],
  ['The user lives in Berlin.', 'The user lives in Munich.'],
  ['The user likes coffee.', 'The user does not like coffee.'],
  ['The user likes coffee.', 'The user likes tea.'],
  ['The user is allergic to peanuts.', 'The user is not allergic to peanuts.'],
  ['The user is allergic to peanuts.', 'The user is allergic to cats.'],
  ['The user has a dog called Bruno.', 'The user has a dog called Rex.'],
  ['The user has a dog called Bruno.', 'The user has a cat called Bruno.'],
  ['The user has two children.', 'The user has three children.'],
  ['favourite colour: dark green', 'favourite colour: dark blue'],
  ['birthday: 14 March', 'birthday: 15 March'],
  ['age: 42', 'age: 43'],
  ['shoe size: 43', 'shoe size: 42'],
  ['The team meeting is every Tuesday at ten.', 'The team meeting is every Thursday at ten.'],
  ['The team meeting is every Tuesday at ten.', 'The team meeting is every Tuesday at eleven.'],
  ['The user is married to Ingrid.', 'The user is divorced from Ingrid.'],
  ['The user plans to travel to Japan in April.', 'The user plans to travel to Japan in May.'],
  ['The user prefers Python for scripting.', 'The user prefers Ruby for scripting.'],
  ['The project stores its data in Postgres.', 'The project stores its data in MySQL.'],
  ['The user started the job in 2019.', 'The user left the job in 2019.'],
  ['The user’s brother lives in Oslo.', 'The user’s sister lives in Oslo.'],
  ['The user works as a nurse.', 'The user worked as a nurse.'],
  ['code word 17: zebra17', 'code word 18: zebra18'],
  ['The code word number 17 is zebra17.', 'The code word number 18 is zebra18.'],
];

describe('the local embedding profile', () => {
  const embedder = createEmbedder({ provider: 'local' });
  const similarities = new Map<readonly Pair[], number[]>();

  beforeAll(async () => {
    for (const pairs of [RELATED, UNRELATED, SAME, DIFFERENT]) {
      const vectors = await embedder.embed(pairs.flat());
      similarities.set(
        pairs,
        pairs.map((_, index) => dot(vectors[2 * index] ?? [], vectors[2 * index + 1] ?? [])),
      );
    }
  }, 30_000);

  afterAll(() => embedder.close());

  const of = (pairs: readonly Pair[]): number[] => similarities.get(pairs) ?? [];

  test('at least 95 % of the questions find the fact that answers them', () => {
    const found = of(RELATED).filter((similarity) => similarity >= LOCAL_EMBEDDING_PROFILE.minSimilarity);
    expect(found.length / RELATED.length).toBeGreaterThanOrEqual(0.95);
  });

  test('what is unrelated stays out', () => {
    const kept = of(UNRELATED).filter((similarity) => similarity >= LOCAL_EMBEDDING_PROFILE.minSimilarity);
    expect(kept.length / UNRELATED.length).toBeLessThanOrEqual(0.05);
  });

  test('an unrelated fact hardly ever comes before the one that answers', async () => {
    const facts = RELATED.map(([, fact]) => fact);
    const factVectors = await embedder.embed(facts);
    const questionVectors = await embedder.embed(RELATED.map(([question]) => question));
    const inTopFive = questionVectors.filter((question, index) => {
      const scores = factVectors.map((fact) => dot(question, fact));
      const better = scores.filter((score) => score > (scores[index] ?? 0)).length;
      return better < 5;
    });
    expect(inTopFive.length / RELATED.length).toBeGreaterThanOrEqual(0.9);
  });

  test('no two different facts count as duplicates', () => {
    const merged = DIFFERENT.filter(
      (_, index) => (of(DIFFERENT)[index] ?? 1) >= LOCAL_EMBEDDING_PROFILE.duplicateSimilarity,
    );
    expect(merged).toEqual([]);
  });

  test('the same text counts as a duplicate of itself', async () => {
    const [first, , again] = await embedder.embed([
      'The user lives in Utrecht.',
      'birthday: 14 March',
      'The user lives in Utrecht.',
    ]);
    expect(dot(first ?? [], again ?? [])).toBeGreaterThanOrEqual(LOCAL_EMBEDDING_PROFILE.duplicateSimilarity);
  });

  test('no lower threshold would do: rewordings and contradictions overlap in this model', () => {
    expect(Math.max(...of(DIFFERENT))).toBeGreaterThan(Math.max(...of(SAME)));
  });
});

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}
