import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { readPromptRequest } from './prompt-request.ts';
import { replyDiligently } from './diligent-reply.ts';

const PROMPTS = new URL('../../../extraction/prompts/', import.meta.url);

/** A request as a template makes it. */
function ask(template: string, values: Readonly<Record<string, string>>, ...follow: object[]) {
  const text = readFileSync(new URL(`${template}.md`, PROMPTS), 'utf8');
  const [system = '', user = ''] = text.split('<!-- system -->')[1]?.split('<!-- user -->') ?? [];
  const content = user.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '(none)').trim();
  return {
    body: {
      messages: [{ role: 'system', content: system.trim() }, { role: 'user', content }, ...follow],
    },
  };
}
const SAID = 'User: I live in Oslo. I like jazz.';
const said = { TRANSCRIPT: SAID, USER_TEXT: SAID };
const home = "The user's home is Oslo.";
const jazz = 'The user likes jazz.';

describe('replyDiligently', () => {
  test.each<[string, unknown]>([
    [
      'standard',
      {
        facts: [{ category: 'other', key: 'home', value: 'Oslo' }],
        context: [{ q: 'What does the user like?', a: jazz }],
        event: null,
      },
    ],
    ['facts-and-context', { facts: { home: 'Oslo' }, context: [{ q: 'What does the user like?', a: jazz }] }],
    [
      'tiered',
      {
        facts: [
          { project: null, topic: null, category: 'other', content: home, importance: 0.7 },
          { project: null, topic: null, category: 'conversation', content: jazz, importance: 0.5 },
        ],
        event: null,
      },
    ],
    [
      'categorised',
      [
        expect.objectContaining({ category: 'other', key: 'home', value: 'Oslo', source: 'user_explicit' }),
        expect.objectContaining({ category: 'context', key: 'what_like', value: jazz }),
      ],
    ],
    ['reconciled', { facts: [home, jazz] }],
  ])('answers %s in its form', (template, expected) => {
    const request = ask(template, said);
    expect(readPromptRequest(request)).toMatchObject({ purpose: 'extract', form: template });
    expect(JSON.parse(replyDiligently(request))).toEqual(expected);
  });

  test('gives the one line that single-fact asks for, or NOTHING', () => {
    expect(replyDiligently(ask('single-fact', said))).toBe(home);
    expect(replyDiligently(ask('single-fact', { TRANSCRIPT: 'User: hello' }))).toBe('NOTHING');
  });

  test('asked to go on it has nothing more, asked again it gives all', () => {
    const reply = { role: 'assistant', content: '{' };
    const rest = ask('standard', said, reply, { role: 'user', content: 'Your reply broke off there.' });
    expect(readPromptRequest(rest).purpose).toBe('continue');
    expect(JSON.parse(replyDiligently(rest))).toEqual({ facts: [], context: [], event: null });
    const again = ask('standard', said, reply, { role: 'user', content: 'That reply could not be read.' });
    expect(readPromptRequest(again).purpose).toBe('again');
    expect(replyDiligently(again)).toBe(replyDiligently(ask('standard', said)));
  });

  test('decides about neighbours', () => {
    const request = ask('reconcile', {
      EXISTING_MEMORIES: 'M1 (2026-01-01): The user lives in Oslo.\nM2 (2026-01-01): The user works at Ely.',
      NEW_FACTS:
        'N1 (2026-01-02): The user lives in Rome.\nN2 (2026-01-02): The user works at Ely.\nN3 (2026-01-02): The user sings.',
    });
    expect(readPromptRequest(request).purpose).toBe('reconcile');
    expect(JSON.parse(replyDiligently(request))).toEqual([
      { event: 'DELETE', id: 'M1' },
      { event: 'ADD', id: 'N1' },
      { event: 'NONE', id: 'N2' },
      { event: 'ADD', id: 'N3' },
    ]);
  });

  test('summarises', () => {
    const rolling = ask('conversation-summary', { EXISTING_SUMMARY: home, TRANSCRIPT: SAID });
    expect(readPromptRequest(rolling).purpose).toBe('conversation-summary');
    expect(replyDiligently(rolling)).toBe(`${home} ${jazz}`);
    const portrait = ask('user-summary', { FACTS: `- 2026-01-01: ${home}\n- 2026-01-02: ${jazz}` });
    expect(readPromptRequest(portrait).purpose).toBe('user-summary');
    expect(replyDiligently(portrait)).toBe(`${home} ${jazz}`);
  });

  test('takes any other chat as a question for simple facts', () => {
    const request = { body: { messages: [{ role: 'user', content: 'I live in Oslo.' }] } };
    expect(readPromptRequest(request)).toMatchObject({ purpose: 'other', form: null });
    expect(JSON.parse(replyDiligently(request))).toEqual({ facts: { home: 'Oslo' }, context: [] });
  });
});
