import { describe, expect, test } from '@jest/globals';
import { originOf } from './origin.ts';
import type { TranscriptMessage } from './types.ts';

const message = (fields: Partial<TranscriptMessage>): TranscriptMessage => ({
  id: 'm1',
  seq: 1,
  role: 'user',
  content: 'Two words',
  createdAt: new Date('2026-03-01T23:30:00Z'),
  ...fields,
});
const about = { kind: 'event', statedAt: new Date('2026-03-01T23:30:00Z'), timeZone: 'UTC' } as const;

describe('the origin of a memory', () => {
  test('is what all of its messages agree on', () => {
    const ada = message({ channel: 'mail', sender: 'ada' });
    expect(originOf([ada, ada], about)).toMatchObject({ channel: 'mail', sender: 'ada' });
    const bob = message({ channel: 'mail', sender: 'bob' });
    expect(originOf([ada, bob], about)).toMatchObject({ channel: 'mail', sender: null });
    expect(originOf([ada, message({})], about)).toMatchObject({ channel: null, sender: null });
    expect(originOf([], about)).toMatchObject({ channel: null, sender: null });
  });

  test('of an event has the day in the deployment’s time zone, and the tokens of its messages', () => {
    const from = [message({}), message({ content: '我住在里斯本' })];
    expect(originOf(from, about)).toMatchObject({ eventDate: '2026-03-01', sourceTokens: 11 });
    expect(originOf(from, { ...about, timeZone: 'Asia/Tokyo' }).eventDate).toBe('2026-03-02');
    expect(originOf(from, { ...about, kind: 'fact' })).toMatchObject({ eventDate: null, sourceTokens: null });
  });
});
