import { expect, test } from '@jest/globals';
import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import { createStreamSlots } from './stream-slots.ts';

/** Asks for a slot; returns what ends the exchange. */
function opener(maxPerKey: number, maxInAll: number) {
  const slots = createStreamSlots({ of: 'chats', maxPerKey, maxInAll });
  return (keyId: string): (() => void) => {
    const response = Object.assign(new EventEmitter(), { locals: { principal: { tenantId: 't', keyId } } });
    let isLetIn = false;
    slots({} as Request, response as unknown as Response, () => {
      isLetIn = true;
    });
    expect(isLetIn).toBe(true);
    return () => response.emit('close');
  };
}

test('a key has so many exchanges open at once, and others have theirs', () => {
  const open = opener(2, 10);
  const end = open('a');
  open('a');
  expect(() => open('a')).toThrow(expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 5 }));
  open('b');
  end();
  open('a');
});

test('a process has so many in all', () => {
  const open = opener(2, 3);
  const end = open('a');
  open('b');
  open('c');
  expect(() => open('d')).toThrow(expect.objectContaining({ code: 'overloaded' }));
  end();
  open('d');
});
