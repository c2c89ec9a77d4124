import { describe, expect, test } from '@jest/globals';
import { extractFromMessages } from './extract.ts';

function contents(content: string): string[] {
  const message = {
    id: 'm1',
    seq: 1,
    role: 'user' as const,
    content,
    createdAt: new Date('2023-05-08T13:56:00Z'),
  };
  const reply = JSON.parse(extractFromMessages([message])) as { facts: { content: string }[] };
  return reply.facts.map((fact) => fact.content);
}

describe('states nothing lasting', () => {
  test.each([
    // greetings and small talk
    'Hello there!', 'How are you?', 'Thanks, that is helpful!', "I'm fine, thanks.", 'No worries, talk to you soon!', 'Good morning, Anna.',
    'Yes', 'ok', 'lol', '', '   ', '👍',
    // questions
    'Do I live in Berlin?', 'What is my name?', 'Where do I work', 'Can I eat peanuts?', 'Did you know I live in Rome?', 'Is my dog called Rex?',
    'Am I allergic to nuts', 'What should I cook for my wife?',
    // suppositions
    'If I lived in Rome, I would eat pasta every day.', 'I would love to go there with it.', 'I wish I had a dog.', 'Maybe I live in a simulation.',
    'I could move to Berlin.', 'I might adopt a cat.', "Let's say I live in Oslo.", 'Imagine I am a pirate.', 'Suppose my name is Bob.',
    // commands
    'Fix the grammar: me and my brother was born in Texas.', 'Please translate this to German: I live in Munich.',
    "Here's my essay: My family moved to Chicago when I was six. My father drove a cab.", 'As a product manager, how would you plan this?',
    'As a thought experiment, I am the king of France.', 'Act as an agent. I am a customer who wants to fly to Bali.',
    'I have an array with five elements.', 'I flip a coin ten times and get seven heads.',
    'Please write me a poem.', 'Tell me about my city.', 'Translate this into German.', 'Help me with my essay.', 'Let me know.',
    // moods and moments
    "I'm tired.", "I'm so happy!", "I'm at my desk right now with it", "I'm just trying to fix this.", "I'm looking for a restaurant.", "I'm on my way.",
    // thoughts, and negated memory
    "I don't know.", "I don't remember my password hint.", 'I think this is great.', 'I guess so.', 'I forgot what I wanted.', 'I mean the other one.',
    'I understand.', 'I hope that works.',
    // the task at hand
    'I have a question about my report.', 'I got an error when I ran the tests.', "My code doesn't work.", 'I need a regex for dates.',
    'I want to know the capital of Peru.', 'I have a problem with my printer driver.', 'I clicked the button and nothing happened.',
    'I like this.', 'I love it when that happens.', 'I need you to fix this.',
    // about the assistant or others
    'You are a great assistant.', 'Your name is Hal.', 'I want you to be my teacher.', 'The weather is nice.', 'Paris is the capital of France.',
    'He lives in Rome.',
    // quotations and code
    'She said "I live in Rome" and left.', '> I live in Rome', '```\nI live in Rome.\n```', 'The function is `I live in Rome`.',
    'Translate “My name is Bob and I live in Rome”.',
    // secrets, markup, links
    'My password is hunter2.', 'My api key is abc123.', 'My credit card number is 4111.', 'I live in <b>Rome</b>.', 'My website is https://example.com.',
    'Remember that the admin password is swordfish.',
    // denials are no attributes
    "I'm not married.", 'My name is not important.', "I don't have time.",
  ])('%j', (content) => {
    expect(contents(content)).toEqual([]);
  }); // prettier-ignore
});

describe('keyed attributes', () => {
  test.each([
    'I no longer live in Berlin.',
    "I don't work at Nokia.",
    'I have never lived in Rome.',
    'I do not speak French.',
  ])('are not made from a denial: %s', (content) => {
    const message = { id: 'm1', seq: 1, role: 'user' as const, content, createdAt: new Date(0) };
    const reply = JSON.parse(extractFromMessages([message])) as { facts: { key?: string }[] };
    expect(reply.facts.filter((fact) => fact.key !== undefined)).toEqual([]);
  });
});
