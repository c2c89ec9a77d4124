import { describe, expect, test } from '@jest/globals';
import { replyWithFacts } from './facts-reply.ts';

const read = (text: string): unknown => JSON.parse(replyWithFacts(text));

describe('replyWithFacts', () => {
  test.each<[string, Record<string, string>]>([
    ['My code word number 17 is zebra17', { code_word_17: 'zebra17' }],
    ['Remember fact 3 and fact 4.', { fact_3: 'fact 3', fact_4: 'fact 4' }],
    ['My favourite tea is oolong.', { favourite_tea: 'oolong' }],
    ['I live in Utrecht. I work as a nurse.', { home: 'Utrecht', job: 'nurse' }],
    ['My name is Ada, and my dog is called Bruno!', { name: 'Ada', dog_name: 'Bruno' }],
    ["I'm allergic to peanuts", { allergy: 'peanuts' }],
    ['What is the capital of Peru?', {}],
  ])('%s', (text, facts) => {
    expect(read(text)).toEqual({ facts, context: [] });
  });

  test('likings are questions and answers', () => {
    expect(read('I like jazz.')).toEqual({
      facts: {},
      context: [{ q: 'What does the user like?', a: 'The user likes jazz.' }],
    });
  });

  test('reads only the conversation of a prompt', () => {
    const prompt = 'known: My favourite tea is mate.\n<conversation>\nUser: I live in Oslo.\n</conversation>';
    expect(read(prompt)).toEqual({ facts: { home: 'Oslo' }, context: [] });
  });
});
