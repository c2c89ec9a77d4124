import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type ChatMessage,
  conversationIdOf,
  lastUserText,
  ownConversationIdOf,
  replyTurn,
  turnsOf,
} from './chat-turns.ts';

const user = (content: unknown): ChatMessage => ({ role: 'user', content });
const assistant = (content: string): ChatMessage => ({ role: 'assistant', content });

describe('turnsOf', () => {
  test('takes the last user message and what follows it, without system messages', () => {
    const turns = turnsOf([user('one'), assistant('1'), { role: 'system', content: 's' }, user('two')]);
    expect(turns.map(({ role, content }) => [role, content])).toEqual([['user', 'two']]);
    expect(turnsOf([{ role: 'system', content: 's' }])).toEqual([]);
  });

  test('ids follow from what was said before, not from system messages', () => {
    const [first] = turnsOf([user('one'), assistant('1'), user('two')]);
    const [again] = turnsOf([{ role: 'system', content: 'now' }, user('one'), assistant('1'), user('two')]);
    const [other] = turnsOf([user('one'), assistant('2'), user('two')]);
    expect(again?.id).toBe(first?.id);
    expect(other?.id).not.toBe(first?.id);
  });

  test('a reply has the id that it has in the next request of the tool loop', () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
    const reply = replyTurn([user('x')], { content: '', toolCalls: [call] });
    const next = turnsOf([
      user('x'),
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', content: 'y', tool_call_id: 'c' },
    ]);
    expect(next[1]).toEqual(reply);
  });

  test('a tool call is the same however it is written, and another one with other arguments', () => {
    const idOf = (call: object) => replyTurn([user('x')], { content: '', toolCalls: [{ ...call }] })?.id;
    const first = idOf({ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1,"b":[2]}' } });
    const again = idOf({ function: { arguments: '{ "b": [2], "a": 1 }', name: 'f' }, index: 0, id: 'c' });
    expect(again).toBe(first);
    expect(idOf({ id: 'c', function: { name: 'f', arguments: '{"a":2,"b":[2]}' } })).not.toBe(first);
    expect(idOf({ id: 'c', function: { name: 'f', arguments: '{"a":1' } })).not.toBe(first);
    expect(idOf({ id: 'c', type: 'custom', custom: { name: 'f', input: 'x' } })).toBe(
      idOf({ custom: { input: 'x', name: 'f' }, type: 'custom', id: 'c' }),
    );
  });

  test('whatever comes, a turn can be stored or is left out', () => {
    const anything = fc.record({
      role: fc.oneof(fc.constantFrom('user', 'assistant', 'tool'), fc.jsonValue()),
      content: fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue()),
      name: fc.jsonValue(),
      tool_calls: fc.jsonValue(),
    });
    fc.assert(
      fc.property(fc.array(anything), (messages) => {
        for (const turn of turnsOf(messages)) {
          expect(turn.id).toMatch(/^turn-[\w-]{24}$/);
          expect(turn.content === null || !turn.content.includes('\u0000')).toBe(true);
        }
      }),
    );
  });
});

test('a reply of nothing is no turn', () => {
  expect(replyTurn([user('x')], { content: ' ', toolCalls: [] })).toBeNull();
});

test('the text of a message is that of its text parts', () => {
  const parts = [
    { type: 'text', text: 'a' },
    { type: 'image_url', image_url: {} },
    { type: 'text', text: 'b' },
  ];
  expect(lastUserText([user(parts), assistant('x')])).toBe('a\nb');
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
