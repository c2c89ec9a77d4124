import { describe, expect, test } from '@jest/globals';
import { speakerOf, toThirdPerson } from './third-person.ts';

const user = speakerOf(undefined, 'The user');

describe('toThirdPerson', () => {
  test.each([
    ['I am a nurse', 'The user is a nurse.'],
    ["I don't like tea", "The user doesn't like tea."],
    ["I haven't slept", "The user hasn't slept."],
    ['I have been ill', 'The user has been ill.'],
    ['I go home', 'The user goes home.'],
    ['I study law', 'The user studies law.'],
    ['I play chess', 'The user plays chess.'],
    ['I watch films', 'The user watches films.'],
    ['I can swim', 'The user can swim.'],
    ['I was ill', 'The user was ill.'],
    ['I need glasses', 'The user needs glasses.'],
    ['we are married', 'The user is married.'],
    ['we were in Rome', 'The user was in Rome.'],
    ['I often really enjoy tea', 'The user often really enjoys tea.'],
    ['I no longer work there', 'The user no longer works there.'],
    ['I am tall and I am fast', 'The user is tall and they are fast.'],
    ['I was tall when I was young', 'The user was tall when they were young.'],
    ['I have a cat and often foster kittens', 'The user has a cat and often fosters kittens.'],
    ['I live in Rome and work in Ostia', 'The user lives in Rome and works in Ostia.'],
    ['I love cats and dogs', 'The user loves cats and dogs.'],
    ['I like to hike and swim with friends', 'The user likes to hike and swim with friends.'],
    ['my sister gave me her car', "The user's sister gave them her car."],
    ['I taught myself my first song', 'The user taught themselves their first song.'],
    ['the blue one is mine', "The blue one is the user's."],
    ['I moved to the US', 'The user moved to the US.'],
    ['our house is ours', "The user's house is theirs."],
    ['I am tired and want to rest more', 'The user is tired and wants to rest more.'],
    ['after losing my job, I moved', 'After losing their job, the user moved.'],
    ['I am not alone and have good friends', 'The user is not alone and has good friends.'],
    ['I have two cats and am allergic to them', 'The user has two cats and is allergic to them.'],
  ])('%s', (clause, expected) => {
    expect(toThirdPerson(clause, user, false)).toBe(expected);
  });

  test('a past date decides for verbs with one form', () => {
    expect(toThirdPerson('I read a book on 7 May 2023', user, true)).toBe(
      'The user read a book on 7 May 2023.',
    );
    expect(toThirdPerson('I read a lot', user, false)).toBe('The user reads a lot.');
  });

  test('uses the name of the speaker', () => {
    expect(toThirdPerson('I live with my dog', speakerOf('Caroline', 'The user'), false)).toBe(
      'Caroline lives with their dog.',
    );
    expect(toThirdPerson('my dog barks', speakerOf(' Jo  Ann ', 'The user'), false)).toBe(
      "Jo Ann's dog barks.",
    );
    expect(toThirdPerson('in 2020 I moved', user, true)).toBe('In 2020 the user moved.');
  });
});
