import { describe, expect, test } from '@jest/globals';
import type { AlikeChat, NamedChat } from '@factmill/database';
import { ownConversationIdOf } from '@factmill/contracts';
import { type ChatMessage, type ChatPath, chatPathOf } from './chat-turns.ts';
import { conversationIdOf, placeInAlike, placeInNamed } from './place-chat.ts';

const user = (content: string): ChatMessage => ({ role: 'user', content });
const assistant = (content: string): ChatMessage => ({ role: 'assistant', content });

function pathOf(...messages: ChatMessage[]): ChatPath {
  const path = chatPathOf(messages);
  if (path === null) throw new Error('no user message');
  return path;
}

const OSLO = pathOf(user('I live in Oslo.'));
const TOOL_LOOP = pathOf(user('I live in Oslo.'), assistant('…'));
const HISTORY = pathOf(user('I live in Oslo.'), assistant('OK.'), user('Yes'));

describe('in a conversation that the client names', () => {
  const empty: NamedChat = {
    conversationId: 'diary',
    lastUserId: null,
    lastUserSeq: null,
    isOnlyOne: true,
    isAnswered: false,
    isKnown: false,
    preset: null,
  };
  const saidLast: NamedChat = {
    ...empty,
    lastUserId: OSLO.turnId,
    lastUserSeq: 7,
    isOnlyOne: false,
    isAnswered: true,
    isKnown: true,
  };
  const movedOn: NamedChat = { ...saidLast, lastUserId: 'turn-other', lastUserSeq: 9 };

  test('what was never said is new under its own id', () => {
    expect(placeInNamed(empty, OSLO, false)).toBe(OSLO.turnId);
    expect(placeInNamed({ ...movedOn, isKnown: false }, OSLO, false)).toBe(OSLO.turnId);
  });

  test('what is said again after something else is another turn, each time', () => {
    expect(placeInNamed(movedOn, OSLO, false)).toBe(`${OSLO.turnId}~9`);
    expect(placeInNamed({ ...movedOn, lastUserSeq: 11 }, OSLO, false)).toBe(`${OSLO.turnId}~11`);
  });

  test('said again after its answer it is another turn', () => {
    expect(placeInNamed(saidLast, OSLO, false)).toBe(`${OSLO.turnId}~7`);
    const again = { ...saidLast, lastUserId: `${OSLO.turnId}~7`, lastUserSeq: 9 };
    expect(placeInNamed(again, OSLO, false)).toBe(`${OSLO.turnId}~9`);
  });

  test.each<[string, NamedChat, ChatPath, boolean]>([
    ['not answered yet', { ...saidLast, isAnswered: false }, OSLO, false],
    ['all that was said', { ...saidLast, isOnlyOne: true }, OSLO, false],
    ['going on with tool calls', saidLast, TOOL_LOOP, false],
    ['tried again, as the client says', saidLast, OSLO, true],
  ])('%s, it is the same turn', (_why, named, path, isRetry) => {
    expect(placeInNamed(named, path, isRetry)).toBe(OSLO.turnId);
    const later = { ...named, lastUserId: `${OSLO.turnId}~7` };
    expect(placeInNamed(later, path, isRetry)).toBe(`${OSLO.turnId}~7`);
  });

  test('a history is what it says, whatever was said since', () => {
    expect(placeInNamed({ ...movedOn, isKnown: true }, HISTORY, false)).toBe(HISTORY.turnId);
  });
});

describe('where the client names none', () => {
  const options = { baseId: 'chat-a', isRetry: false };
  const stands: AlikeChat = {
    conversationId: 'chat-a',
    lastUserId: OSLO.turnId,
    continues: false,
    saidSince: null,
    preset: null,
  };
  const since: AlikeChat = { ...stands, saidSince: 'chat-b 3' };

  test('the first is the base', () => {
    expect(placeInAlike([], OSLO, options)).toEqual({
      conversationId: 'chat-a',
      userTurnId: OSLO.turnId,
      preset: null,
    });
  });

  test('the preset is that of the conversation, and a new one has none', () => {
    const tiered = { ...stands, preset: 'tiered' };
    expect(placeInAlike([tiered], OSLO, options).preset).toBe('tiered');
    expect(placeInAlike([{ ...tiered, saidSince: 'chat-b 3' }], OSLO, options).preset).toBeNull();
  });

  test('the same request again is the same chat', () => {
    expect(placeInAlike([stands], OSLO, options).conversationId).toBe('chat-a');
    expect(placeInAlike([since], OSLO, { ...options, isRetry: true }).conversationId).toBe('chat-a');
    expect(placeInAlike([since], TOOL_LOOP, options).conversationId).toBe('chat-a');
  });

  test('said again after something else it is a new chat, the same for requests at the same time', () => {
    const { conversationId } = placeInAlike([since], OSLO, options);
    expect(conversationId).toMatch(/^chat-a\.[\w-]{12}$/);
    expect(placeInAlike([since], OSLO, options).conversationId).toBe(conversationId);
    const later = { ...since, saidSince: 'chat-b 5' };
    expect(placeInAlike([later], OSLO, options).conversationId).not.toBe(conversationId);
    const wentOn = { ...stands, lastUserId: 'turn-other' };
    expect(placeInAlike([wentOn], OSLO, options).conversationId).not.toBe('chat-a');
  });

  test('a history continues the latest chat that has the turn before', () => {
    const older = { ...since, conversationId: 'chat-a.1', continues: true };
    const oldest = { ...older, conversationId: 'chat-a' };
    const latest = { ...stands, conversationId: 'chat-a.2' };
    expect(placeInAlike([latest, older, oldest], HISTORY, options).conversationId).toBe('chat-a.1');
    expect(placeInAlike([latest], HISTORY, options).conversationId).toBe('chat-a.2');
  });
});

test('a chat is told from another by its user and first message', () => {
  const id = conversationIdOf([user('hi'), assistant('x'), user('more')], 'ana');
  expect(conversationIdOf([{ role: 'system', content: 's' }, user('hi')], 'ana')).toBe(id);
  expect(conversationIdOf([user('hi')], 'ben')).not.toBe(id);
  expect(conversationIdOf([user('ho')], 'ana')).not.toBe(id);
});

test('a conversation of one’s own in place of another’s is always the same, and no other chat', () => {
  const id = ownConversationIdOf('default', 'ana');
  expect(ownConversationIdOf('default', 'ana')).toBe(id);
  expect(ownConversationIdOf('default', 'ben')).not.toBe(id);
  expect(ownConversationIdOf('diary', 'ana')).not.toBe(id);
  expect(conversationIdOf([user('default')], 'ana')).not.toBe(id);
});
