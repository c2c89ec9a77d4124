import { describe, expect, test } from '@jest/globals';
import type { RawCandidate } from '../types.ts';
import { parseReply } from './parse-reply.ts';

/** What was read, shortened: `key=value`, `q→a`, or the content. */
function short(candidate: RawCandidate): string {
  if (candidate.kind === 'qa') return `${candidate.question}→${candidate.answer}`;
  return candidate.key === null ? `${candidate.content}` : `${candidate.key}=${candidate.value}`;
}

function read(raw: string): [string, string[], string[]] {
  const { status, candidates, rejected } = parseReply(raw);
  return [
    status,
    candidates.map((item) => short(item)),
    rejected.map(({ reason, count }) => `${reason}:${count}`),
  ];
}

describe('what models answer', () => {
  test.each<[string, string, string[]]>([
    [
      'facts and context',
      '{"facts": {"name": "Steve", "home": "Texas"}, "context": [{"q": "Editor?", "a": "vim"}]}',
      ['name=Steve', 'home=Texas', 'Editor?→vim'],
    ],
    ['in a fence', '```json\n{"facts": {"name": "Steve"}}\n```', ['name=Steve']],
    [
      'in prose',
      'Sure! Here is what I found:\n\n{"facts": {"name": "Steve"}}\n\nLet me know {if} that [works].',
      ['name=Steve'],
    ],
    [
      'trailing commas',
      '{"facts": {"name": "Steve",}, "context": [{"q": "a", "a": "b",},],}',
      ['name=Steve', 'a→b'],
    ],
    ['missing comma', '{"facts": {"name": "Steve"\n"home": "Texas"}}', ['name=Steve', 'home=Texas']],
    [
      'single quotes and bare keys',
      "{facts: {name: 'Steve', 'home': 'Texas'}}",
      ['name=Steve', 'home=Texas'],
    ],
    ['unescaped quotes', '{"facts": {"motto": "he said "never" twice"}}', ['motto=he said "never" twice']],
    ['raw line break', '{"facts": {"address": "1 Road\nTown"}}', ['address=1 Road\nTown']],
    [
      'escapes',
      String.raw`{"facts": {"a": "tab\there \u00e9 \"q\" \\ \/", "b": "\ud83d\ude00"}}`,
      ['a=tab\there é "q" \\ /', 'b=😀'],
    ],
    [
      'a think block',
      '<think>Maybe {"facts": {"name": "Bob"}}?</think>\n{"facts": {"name": "Steve"}}',
      ['name=Steve'],
    ],
    [
      'a think block that was opened by the template',
      'hm {"facts": {"x": "y"}}\n</think>{"facts": {"name": "Steve"}}',
      ['name=Steve'],
    ],
    ['the tag inside a string', '{"facts": {"note": "types </think> a lot"}}', ['note=types </think> a lot']],
    [
      'a draft and an answer',
      '{"facts": {"name": "Bob"}} Wait, no. {"facts": {"name": "Steve"}}',
      ['name=Steve'],
    ],
    [
      'scalars of other types',
      '{"facts": {"age": 34, "pi": 3.10, "pet": true}}',
      ['age=34', 'pi=3.10', 'pet=true'],
    ],
    ['a list of scalars', '{"facts": {"hobbies": ["chess", "golf", 3]}}', ['hobbies=chess, golf, 3']],
    ['the same key twice', '{"facts": {"home": "Rome", "home": "Oslo"}}', ['home=Oslo']],
    [
      'prototype keys',
      '{"facts": {"__proto__": "a", "constructor": "b", "toString": "c"}}',
      ['__proto__=a', 'constructor=b', 'toString=c'],
    ],
    [
      'an array of facts',
      '[{"category": "personal", "key": "name", "value": "Steve", "source": "user_explicit", "source_context": "intro"}]',
      ['name=Steve'],
    ],
    [
      'an array of sentences',
      '["The user lives in Oslo.", "The user has a dog."]',
      ['The user lives in Oslo.', 'The user has a dog.'],
    ],
    [
      'one object per line',
      '{"key": "name", "value": "Steve"}\n{"key": "home", "value": "Oslo"}',
      ['name=Steve', 'home=Oslo'],
    ],
    [
      'full items',
      '{"facts": [{"category": "work", "key": "job", "value": "baker", "content": "The user is a baker."}, {"content": "The user went to Rome."}], "context": []}',
      ['job=baker', 'The user went to Rome.'],
    ],
    [
      'an event line',
      '{"facts": [], "event": "Talked about moving to Rome."}',
      ['Talked about moving to Rome.'],
    ],
    ['long names', '{"context": [{"question": "Pet?", "answer": "A cat"}]}', ['Pet?→A cat']],
    ['unicode', '{"facts": {"名前": "太郎", "ciudad": "Málaga"}}', ['名前=太郎', 'ciudad=Málaga']],
    ['brackets before', 'As of [1] the result: {"facts": {"name": "Steve"}}', ['name=Steve']],
    [
      'a Python dict',
      `{'facts': {'name': "Steve's", 'dog': 'Steve's dog', 'is_vegan': True}, 'context': []}`,
      ["name=Steve's", "dog=Steve's dog", 'is_vegan=True'],
    ],
    [
      'comments',
      '{\n// what I found\n"facts": {"name": "Steve", // his name\n"home": "Oslo" /* since 2020 */, "site": "https://a.example//x"}}',
      ['name=Steve', 'home=Oslo', 'site=https://a.example//x'],
    ],
    [
      'and so on',
      '{"facts": {"name": "Steve", ...}, "context": [{"q": "a", "a": "b"}, …]}',
      ['name=Steve', 'a→b'],
    ],
    ['curly quotes', '{“facts”: {“name”: “Steve”}}', ['name=Steve']],
    [
      'names in capitals',
      '{"Facts": {"Name": "Steve"}, "Context": [{"Q": "a", "A": "b"}]}',
      ['Name=Steve', 'a→b'],
    ],
    ['JSON in a string', JSON.stringify('{"facts": {"name": "Steve"}}'), ['name=Steve']],
    [
      'JSON in a field',
      JSON.stringify({ answer: '```{"facts": {"name": "Steve"}}', ok: '{"facts": {"name": "Steve"}}' }),
      ['name=Steve'],
    ],
    [
      'JSON in a value',
      JSON.stringify({ facts: { note: '{"facts": {"admin": "x"}}' } }),
      ['note={"facts": {"admin": "x"}}'],
    ],
    ['a wrapper', '{"result": {"facts": {"name": "Steve"}}, "usage": {"text": "12 tokens"}}', ['name=Steve']],
    [
      'facts in one fence, context in the next',
      '```json\n{"facts": {"a": "1"}}\n```\nand\n```json\n{"context": [{"q": "x", "a": "y"}]}\n```',
      ['a=1', 'x→y'],
    ],
    ['a list of single words', '["Vim", "Go"]', ['Vim', 'Go']],
    [
      'full-width punctuation',
      '{"facts"：{"name"："Steve"，"home"："Oslo"}，"context"：[]}',
      ['name=Steve', 'home=Oslo'],
    ],
    [
      'an item with a list',
      '{"facts": [{"key": "languages", "value": ["Portuguese", "German"]}]}',
      ['languages=Portuguese, German'],
    ],
    [
      'a question with a list',
      '{"context": [{"q": "Pets?", "a": ["a cat", "a dog"]}]}',
      ['Pets?→a cat, a dog'],
    ],
    [
      'a list of maps',
      '{"facts": [{"pet": "zebra"}, {"name": "Steve", "home": "Oslo"}]}',
      ['pet=zebra', 'name=Steve', 'home=Oslo'],
    ],
    ['a list of maps alone', '[{"pet": ["zebra", "cat"], "confidence": 90}]', ['pet=zebra, cat']],
    [
      'name and value',
      '{"facts": [{"name": "home", "value": "Oslo"}, {"attribute": "pet", "value": "cat"}]}',
      ['home=Oslo', 'pet=cat'],
    ],
    ['key and fact', '{"facts": [{"key": "home", "fact": "Oslo"}]}', ['home=Oslo']],
    [
      'key and a statement',
      '{"facts": [{"key": "home", "fact": "The user lives in Oslo."}]}',
      ['The user lives in Oslo.'],
    ],
    [
      'a value without a key',
      '{"facts": [{"category": "home", "value": "The user lives in Oslo."}]}',
      ['The user lives in Oslo.'],
    ],
    ['facts, then nothing', '{"facts": {"name": "Steve"}}\n{"facts": {}, "context": []}', ['name=Steve']],
    ['nothing, then facts', '{"facts": []}\n[{"key": "name", "value": "Steve"}]', ['name=Steve']],
    ['a list, then an empty one', '[{"key": "name", "value": "Steve"}]\n[]', ['name=Steve']],
    ['an empty list, then an item', '[]\n{"key": "name", "value": "Steve"}', ['name=Steve']],
    [
      'control tokens around',
      '<|im_start|>assistant\n{"facts": {"name": "Steve"}}<|im_end|>\n',
      ['name=Steve'],
    ],
    [
      'channels',
      '<|channel|>analysis<|message|>Maybe {"facts": {"name": "Bob"}}<|end|><|start|>assistant<|channel|>final<|message|>{"context": [{"q": "a", "a": "b"}]}<|return|>',
      ['a→b'],
    ],
    ['NUL inside', '{"facts": {"name": "Ste\\u0000ve"}}', ['name=Steve']],
  ])('%s', (_name, raw, items) => {
    expect(read(raw)).toEqual(['ok', items, []]);
  });

  test.each([
    ['{"facts": {}, "context": []}'],
    ['```json\n{"facts": {}, "context": []}\n```'],
    ['NONE'],
    ['None.'],
    ['"NOTHING"'],
    ['```\nnone\n```'],
    ['[]'],
    ['{}'],
    ['Here is the JSON:\n```json\n[]\n```'],
    ['[] []'],
    ['None. {}'],
    ['{}<|eot_id|>'],
    ['I found nothing new. {"facts": {}}'],
    ['<think>nothing here</think>NONE'],
    ['{"facts": null, "context": null}'],
    ['{"facts": "none", "context": ""}'],
  ])('nothing to remember: %j', (raw) => {
    expect(read(raw)).toEqual(['empty', [], []]);
  });

  test.each([
    ['', []],
    ['I could not find any facts worth keeping in this conversation.', []],
    ['{"answer": "42"}', []],
    ['{"error": {"message": "overloaded"}}', []],
    ['[1, 2, 3]', []],
    ['{"facts": 5}', ['wrong_type:1']],
    ['{"facts": {"home": {"city": "Oslo"}}}', ['nested_value:1']],
    ['{"facts": [[1], [2]]}', ['wrong_type:2']],
    // An empty value beside what cannot be read says nothing about it.
    ['facts:\n  home: Lisbon\ncontext: []', []],
    ['home: Lisbon\nnotes: {}', []],
    ['- home = Lisbon\n\ncontext:\n[]', []],
    ['The user moved to Lisbon.\n\n[]', []],
    ['[] {"home": "Lisbon"}', []],
    ['[]\n{"answer": {}}', []],
  ])('unusable: %.60j', (raw, rejected) => {
    expect(read(raw)).toEqual(['invalid', [], rejected]);
  });

  test.each<[string, string[], string[]]>([
    ['{"facts": {"name": "Steve", "home": "Te', ['name=Steve'], []],
    ['{"facts": {"name": "Steve", "age": 3', ['name=Steve'], []],
    [
      '{"facts": {"name": "Steve"}, "context": [{"q": "a", "a": "b"}, {"q": "c"',
      ['name=Steve', 'a→b'],
      ['incomplete:1'],
    ],
    ['[{"key": "a", "value": "b"}, {"key": "c", "value": "d", "sour', ['a=b'], ['incomplete:1']],
    ['{"facts": {"name": "Steve"}', ['name=Steve'], []],
    ['{"facts": {"name"', [], []],
    ['```json\n{"facts": {"hobbies": ["chess", "go', [], ['incomplete:1']],
    ['<think>Let me see, the user', [], []],
    ['{"facts": {"name": "Steve"]}', ['name=Steve'], []],
  ])('breaks off: %j', (raw, items, rejected) => {
    expect(read(raw)).toEqual(['truncated', items, rejected]);
  });

  test('what is read and too long is no reason to ask again', () => {
    expect(read(`{"facts": {"essay": "${'x'.repeat(8_001)}"}}`)).toEqual(['ok', [], ['too_long:1']]);
    expect(read(JSON.stringify({ facts: [{ key: 'a', value: 'x'.repeat(200_000) }] }))).toEqual([
      'ok',
      [],
      ['too_long:1'],
    ]);
  });

  test('keeps the good items and counts the others', () => {
    const raw =
      '{"facts": {"a": "b", "c": "", "d": null, "e": {"f": 1}}, "context": [{"q": "x"}, 7, {"q": "y", "a": ["z"]}]}';
    expect(read(raw)).toEqual(['ok', ['a=b', '7', 'y→z'], ['empty_value:3', 'nested_value:1']]);
    expect(read('{"facts": {"c": ""}}')).toEqual(['empty', [], ['empty_value:1']]);
  });

  test('bounds the number of items', () => {
    const facts = Array.from({ length: 600 }, (_, index) => `"k${index}": "v"`).join(',');
    const { candidates, rejected } = parseReply(`{"facts": {${facts}}}`);
    expect(candidates).toHaveLength(500);
    expect(rejected).toEqual([{ reason: 'too_many', count: 100 }]);
  });

  test('reads every field of a full item', () => {
    const raw = JSON.stringify([
      {
        category: 'work',
        key: 'job',
        value: 'baker',
        content: 'The user is a baker.',
        source: 'tool_call',
        source_context: 'profile',
        confidence: 88,
        importance: 0.9,
        tier: 1,
        tags: ['a', 'b'],
        message_id: 'm1',
        message_ids: ['m2'],
        valid_from: '2023-05-07',
        project: 'bakery',
        topic: 'work',
      },
    ]);
    expect(parseReply(raw).candidates).toEqual([
      {
        kind: 'fact',
        category: 'work',
        key: 'job',
        value: 'baker',
        content: 'The user is a baker.',
        question: null,
        answer: null,
        source: 'tool_call',
        sourceContext: 'profile',
        confidence: '88',
        importance: '0.9',
        tier: '1',
        tags: ['a', 'b'],
        messageIds: ['m1', 'm2'],
        validFrom: '2023-05-07',
        project: 'bakery',
        topic: 'work',
      },
    ]);
  });
});

describe('the formats that the prompts ask for', () => {
  test('standard: categorised facts, questions with answers, an event line', () => {
    const { status, candidates } = parseReply(
      '{"facts": [{"category": "identity", "key": "home", "value": "Lisbon"}], "context": [{"q": "Tea?", "a": "Oolong"}], "event": "On 2024-05-01 the user moved."}',
    );
    expect(status).toBe('ok');
    expect(candidates).toMatchObject([
      { kind: 'fact', category: 'identity', key: 'home', value: 'Lisbon' },
      { kind: 'qa', question: 'Tea?', answer: 'Oolong' },
      { kind: 'event', content: 'On 2024-05-01 the user moved.' },
    ]);
    expect(read('{"facts": [], "context": [], "event": null}')).toEqual(['empty', [], []]);
  });

  test('tiered: facts with project, topic, category and importance, and an event summary', () => {
    const { candidates } = parseReply(
      '{"facts": [{"project": "atlas", "topic": "deploy", "category": "config", "content": "Atlas runs on port 8080.", "importance": 0.8}, {"project": null, "topic": "", "category": "temp", "content": "The build is red."}], "event": "Set up Atlas."}',
    );
    expect(candidates).toMatchObject([
      { kind: 'note', project: 'atlas', topic: 'deploy', category: 'config', importance: '0.8' },
      { kind: 'note', project: null, topic: null, category: 'temp' },
      { kind: 'event', content: 'Set up Atlas.' },
    ]);
  });

  test('categorised: an array with sources', () => {
    const { candidates } = parseReply(
      '[{"category": "environment", "key": "host", "value": "atlas", "source": "tool_call", "source_context": "hostname"}]',
    );
    expect(candidates).toMatchObject([
      { kind: 'fact', category: 'environment', key: 'host', source: 'tool_call', sourceContext: 'hostname' },
    ]);
    expect(read('[]')).toEqual(['empty', [], []]);
  });

  test('reconciled: a list of short facts', () => {
    expect(read('{"facts": ["The user lives in Oslo.", "The user has a dog."]}')).toEqual([
      'ok',
      ['The user lives in Oslo.', 'The user has a dog.'],
      [],
    ]);
  });
});

describe('one plain line, where the preset asks for it', () => {
  test.each([
    ['The user lives in Berlin.', 'ok', ['The user lives in Berlin.']],
    ['NOTHING', 'empty', []],
    [' \n', 'invalid', []],
    ['There is nothing to store.', 'empty', []],
    ['Yes', 'empty', []],
    ['Too short', 'empty', []],
    ['Does the user live in Berlin?', 'empty', []],
    ['One line.\nAnother line.', 'invalid', []],
    ['', 'invalid', []],
    ['The user said hello.\nNOTHING', 'empty', []],
    ['None.', 'empty', []],
    ['<think>{"a": maybe}</think>\nThe user lives in Berlin.', 'ok', ['The user lives in Berlin.']],
    ['```\nThe user lives in Berlin.\n```', 'ok', ['The user lives in Berlin.']],
    ['Here is the fact:\n\n- "The user lives in Berlin."', 'ok', ['The user lives in Berlin.']],
    ['Fact: The user lives in Berlin.', 'ok', ['The user lives in Berlin.']],
    ['The user likes lists [1, 2] and {braces}.', 'ok', ['The user likes lists [1, 2] and {braces}.']],
    ['{"fact": "The user lives in Berlin."}', 'ok', ['The user lives in Berlin.']],
    ['{"facts": ["The user lives in', 'truncated', []],
    ['<think>Let me see', 'truncated', []],
    ['{"answer": "42 is what it is"}', 'invalid', []],
    [`The user said ${'x'.repeat(8_000)}`, 'invalid', []],
    ['The user lives in Berlin.<|im_end|>', 'ok', ['The user lives in Berlin.']],
    ['<s> The user lives in Berlin. </s>\n', 'ok', ['The user lives in Berlin.']],
    ['The user lives in Berlin.<|eot_id|><|im_end|>', 'ok', ['The user lives in Berlin.']],
    [
      '<|channel|>analysis<|message|>The user says Paris?<|end|><|start|>assistant<|channel|>final<|message|>The user lives in Berlin.<|return|>',
      'ok',
      ['The user lives in Berlin.'],
    ],
    ['**Answer:** The user lives in Berlin.', 'ok', ['The user lives in Berlin.']],
    ['**Answer**: "The user lives in Berlin."', 'ok', ['The user lives in Berlin.']],
    ['1. **The user lives in Berlin.**', 'ok', ['The user lives in Berlin.']],
    ['> Final answer: «The user lives in Berlin.»', 'ok', ['The user lives in Berlin.']],
    ['The user likes [] and {} in code.', 'ok', ['The user likes [] and {} in code.']],
    ['I am sorry about the wait.', 'invalid', []],
  ])('%j', (raw, status, items) => {
    const parsed = parseReply(raw, { allowLine: true });
    expect([parsed.status, parsed.candidates.map((item) => item.content)]).toEqual([status, items]);
  });

  test.each([
    "I'm sorry, but I can't help with that.",
    'I’m sorry, I cannot assist with that request.',
    'Sorry, I am unable to process this conversation.',
    'I cannot fulfill this request.',
    "I can't help with that.",
    'I must respectfully decline to answer.',
    "Unfortunately, I'm not able to do that.",
    'As an AI language model, I cannot store personal data.',
    'I apologize, but that would violate my guidelines.',
    'This request violates our content policy.',
    '"I\'m sorry, but I can\'t assist with that."<|im_end|>',
    'Es tut mir leid, aber dabei kann ich nicht helfen.',
    'Dabei kann ich leider nicht helfen.',
    'Je suis désolé, mais je ne peux pas vous aider.',
    'Lo siento, no puedo ayudar con eso.',
    'Desculpe, não posso ajudar com isso.',
    'Mi dispiace, non posso aiutarti.',
    'К сожалению, я не могу помочь с этим.',
    '抱歉，我无法协助处理这个请求。',
    '申し訳ありませんが、お手伝いできません。',
  ])('a refusal: %j', (raw) => {
    expect(parseReply(raw, { allowLine: true })).toMatchObject({ status: 'refusal', candidates: [] });
  });

  test.each([
    'The user is sorry that they cannot help their mother.',
    'The user can’t eat peanuts.',
    "I can't eat gluten.",
    'The user declined the offer of Siemens.',
    'Unfortunately the user had to leave Berlin.',
    'The user works against the clock.',
  ])('no refusal: %j', (raw) => {
    expect(parseReply(raw, { allowLine: true }).status).toBe('ok');
  });

  test('is invalid otherwise', () => {
    expect(parseReply('The user lives in Berlin.').status).toBe('invalid');
  });
});
