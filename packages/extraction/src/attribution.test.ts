import { describe, expect, test } from '@jest/globals';
import { attribute, indexMessages } from './attribution.ts';
import type { RawCandidate, TranscriptMessage } from './types.ts';

const said = (seq: number, role: TranscriptMessage['role'], content: string): TranscriptMessage => ({
  id: `m${seq}`,
  seq,
  role,
  content,
  createdAt: new Date(0),
});
const messages = [
  said(1, 'system', 'The garage stands at Elm Street.'),
  said(2, 'user', 'Where is my garage? I drive a Volvo.'),
  said(3, 'assistant', 'Your garage with the Volvo stands at Elm Street.'),
];
const item = (value: string): RawCandidate => ({
  kind: 'fact',
  category: null,
  key: 'x',
  value,
  content: null,
  question: null,
  answer: null,
  tags: [],
  importance: null,
  confidence: null,
  tier: null,
  source: null,
  sourceContext: null,
  validFrom: null,
  project: null,
  topic: null,
  messageIds: [],
});
const sources = (value: string, transcript: 'user-only' | 'pair' | 'full') =>
  attribute(item(value), indexMessages(messages, transcript)).map(({ id }) => id);

describe('where a fact comes from', () => {
  test('a reply counts where the transcript shows replies, a system message never', () => {
    expect(sources('Elm Street', 'user-only')).toEqual(['m2']);
    expect(sources('Elm Street', 'pair')).toEqual(['m3']);
    expect(sources('Elm Street', 'full')).toEqual(['m3']);
  });

  test('what the user says just as well comes from the user', () => {
    expect(sources('Volvo', 'pair')).toEqual(['m2']);
    expect(sources('entirely elsewhere', 'pair')).toEqual(['m2']);
  });
});
