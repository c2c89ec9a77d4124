import { describe, expect, test } from '@jest/globals';
import { speakerOf } from './third-person.ts';
import { topicOf } from './topic.ts';

const ann = speakerOf('Ann', '');
const bob = speakerOf('Bob', '');
const at = new Date('2026-04-15T18:00:00Z');

function topic(question: string, answer = 'Well.'): string | null {
  return topicOf({ messageId: 'm1', sentences: [question], by: ann, at }, bob, answer)?.text ?? null;
}

describe('topicOf', () => {
  test.each([
    ['What kind of music do you play?', 'Bob plays music:'],
    ['What do you guys do for fun on Sundays?', 'What Bob does for fun on Sundays:'],
    ['How long have you been painting?', 'How long Bob has been painting:'],
    ['Where did you buy that lamp?', 'Where Bob bought that lamp:'],
    ['When are you moving to Porto?', 'When Bob is moving to Porto:'],
    ["What's your sister's name?", "What Bob's sister's name is:"],
    ['Have you ever seen a whale?', 'Whether Bob has ever seen a whale:'],
    ['Do you want to join my choir tomorrow?', "Whether Bob wants to join Ann's choir on 16 April 2026:"],
    ['What made you try pottery?', 'What made Bob try pottery?'],
    ['Got any plants at home?', 'Whether Bob has any plants at home:'],
    ['What show ya got planned?', 'What show Bob has planned:'],
    ['How you gonna get to the island?', 'How Bob is going to get to the island:'],
    ['What support are you offering them?', 'What support Bob is offering them:'],
    ['What kind of harp do you want to build?', 'What kind of harp Bob wants to build:'],
    ['What type of games do you and your sons play?', 'What type of games Bob and their sons play:'],
    ['Been rowing long?', 'Whether Bob has been rowing long:'],
    ['Any concerts coming up in June?', 'Whether there are any concerts coming up in June 2026:'],
    ['Anything else that keeps you awake?', 'Whether there is anything else that keeps Bob awake:'],
    ['How did the extra room help your guests?', "How did the extra room help Bob's guests?"],
    ['Any special meaning to your necklace?', "Whether there is any special meaning to Bob's necklace:"],
    ['How did she stay calm on the boat?', 'How she stayed calm on the boat:'],
    ['Do they offer classes for children?', 'Whether they offer classes for children:'],
  ])('%s', (question, expected) => {
    expect(topic(question)).toBe(expected);
  });

  test.each([
    [
      'Did you visit the lighthouse yesterday?',
      'Yes, it was windy.',
      'Bob visited the lighthouse on 14 April 2026.',
    ],
    ['Have you told anyone about the boat yet?', 'Yeah!', 'Bob has told someone about the boat.'],
    ['Do you play any instruments?', 'Nope.', 'Whether Bob plays any instruments: no.'],
    ['Any songs that move you?', 'Yes!', 'Whether there are any songs that move Bob:'],
    ['Did everyone swim in the lake?', 'Yes!', 'Whether everyone swam in the lake:'],
    ['Do you like sailing?', 'No worries, I will tell.', 'Whether Bob likes sailing:'],
  ])('%s %s', (question, answer, expected) => {
    expect(topic(question, answer)).toBe(expected);
  });

  test.each([
    'How are you?',
    'How was it?',
    'What is up?',
    'Really?',
    'Want to see my photos?',
    'Anything exciting on the horizon?',
    'Music is great for sad days, right?',
    'I live in Ulm.',
  ])('asks nothing in particular: %s', (question) => {
    expect(topic(question)).toBeNull();
  });
});
