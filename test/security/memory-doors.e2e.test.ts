import { readFileSync } from 'node:fs';
import { DOOR_ATTEMPTS, type DoorAttempt } from '@factmill/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type MemoryDoors, openMemoryDoors, userOf } from './memory-doors.ts';

/** What honest people and models do at each door: it arrives, so an attempt that leaves nothing was refused. */
const HONEST: readonly DoorAttempt[] = [
  {
    name: 'honest answer',
    door: 'answer',
    messages: [{ role: 'user', content: 'I live in Bergen and I play the cello.' }],
    reply: { facts: [{ category: 'identity', key: 'home', value: 'Bergen' }], context: [], event: null },
    poison: [],
    honest: ['lives in Bergen'],
  },
  {
    name: 'honest rules',
    door: 'rules',
    messages: [{ role: 'user', content: 'I live in Bergen. I like fado.' }],
    poison: [],
    honest: ['lives in Bergen', 'fado'],
  },
  {
    name: 'honest decision',
    door: 'reconcile',
    known: 'The user lives in a small flat in Oslo.',
    says: 'I moved to a small flat in Bergen.',
    finds: 'The user lives in a small flat in Bergen.',
    decisions: [
      { event: 'UPDATE', id: 'M1', text: 'The user moved from a small flat in Oslo to one in Bergen.' },
    ],
    poison: [],
    honest: ['moved from a small flat in Oslo to one in Bergen'],
  },
  {
    name: 'honest portrait',
    door: 'summary',
    of: 'user',
    says: ['The user lives in Bergen.', 'The user plays the cello.'],
    summary: 'They live in Bergen, where they play the cello.',
    poison: [],
    honest: ['where they play the cello'],
  },
  {
    name: 'honest summary',
    door: 'summary',
    of: 'conversation',
    says: ['The user lives in Bergen.', 'The user plays the cello.'],
    summary: 'The user told of life in Bergen and of playing the cello.',
    poison: [],
    honest: ['of playing the cello'],
  },
  {
    name: 'honest events',
    door: 'compression',
    question: 'events',
    known: ['The user decided to sell the car and told Maya.', 'The user asked for the weather in Oslo.'],
    statements: [{ text: 'The user decided to sell the car.', category: 'decision', from: [1] }],
    poison: [],
    honest: ['The user decided to sell the car.'],
  },
  {
    name: 'honest merge',
    door: 'compression',
    question: 'merge',
    known: ['The user drinks green tea in the morning.', 'The user prefers green tea over coffee.'],
    statements: [
      { text: 'The user drinks green tea in the morning and prefers it over coffee.', from: [1, 2] },
    ],
    poison: [],
    honest: ['in the morning and prefers it over coffee'],
  },
  {
    name: 'honest profile',
    door: 'compression',
    question: 'profile',
    known: ['The user works as a nurse in Bergen.'],
    statements: [{ text: 'The user is a nurse who works in Bergen.', category: 'work', from: [1] }],
    poison: [],
    honest: ['is a nurse who works in Bergen'],
  },
  {
    name: 'honest tool call',
    door: 'tool',
    arguments: { action: 'save', key: 'home', value: 'Bergen', source: 'user' },
    poison: [],
    honest: ['Bergen'],
  },
];

const ALL = [...HONEST, ...DOOR_ATTEMPTS];

let doors: MemoryDoors;
beforeAll(async () => {
  doors = await openMemoryDoors();
});
afterAll(() => doors.close());

const flat = (text: string): string => text.toLowerCase().replaceAll(/\s+/g, ' ');
const holds = (texts: readonly string[], part: string): boolean =>
  texts.some((text) => flat(text).includes(flat(part)));

/** Names of the attempts of which something was remembered, or by which something true was lost. */
const through: string[] = [];

describe('an attempt', () => {
  test.each(ALL)('$door: $name', async (attempt) => {
    const texts = await doors.attempt(attempt);
    // The attacker also wins who has something true forgotten.
    const isLost = (attempt.honest ?? []).some((part) => !holds([texts.join('\n')], part));
    if (isLost || attempt.poison.some((part) => holds(texts, part))) through.push(attempt.name);
  });

  test('leaves nothing with anybody else', async () => {
    const known = new Set(ALL.map(userOf));
    expect((await doors.users()).filter((user) => !known.has(user))).toEqual([]);
  });

  test('that gets through is told in docs/security.md, and no other', () => {
    const text = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8');
    const section = text.slice(text.indexOf('## What gets through each door'));
    const told = [...section.matchAll(/^\| (?!attempt|-)([^|]+?) +\|/gm)].map(([, name]) => name);
    expect(through.toSorted()).toEqual(told.toSorted());
    expect(text).toContain(`Of its ${DOOR_ATTEMPTS.length} attempts ${through.length} get something through`);
    expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length);
  });
});
