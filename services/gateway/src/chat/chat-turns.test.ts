import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type ChatMessage,
  type ChatPath,
  chatPathOf,
  type ChatReply,
  lastUserText,
  replyTurn,
  turnsOf,
} from './chat-turns.ts';

const user = (content: unknown): ChatMessage => ({ role: 'user', content });
const assistant = (content: string): ChatMessage => ({ role: 'assistant', content });

function pathOf(messages: readonly ChatMessage[]): ChatPath {
  const path = chatPathOf(messages);
  if (path === null) throw new Error('no user message');
  return path;
}

const storedOf = (messages: readonly ChatMessage[]) => turnsOf(pathOf(messages), pathOf(messages).turnId);
const replyTo = (messages: readonly ChatMessage[], reply: ChatReply) =>
  replyTurn(pathOf(messages), reply, pathOf(messages).turnId);

describe('turnsOf', () => {
  test('takes the last user message and what follows it, without system messages', () => {
    const turns = storedOf([user('one'), assistant('1'), { role: 'system', content: 's' }, user('two')]);
    expect(turns.map(({ role, content }) => [role, content])).toEqual([['user', 'two']]);
    expect(chatPathOf([{ role: 'system', content: 's' }])).toBeNull();
  });

  test('ids follow from what was said before, not from system messages', () => {
    const [first] = storedOf([user('one'), assistant('1'), user('two')]);
    const [again] = storedOf([{ role: 'system', content: 'now' }, user('one'), assistant('1'), user('two')]);
    const [other] = storedOf([user('one'), assistant('2'), user('two')]);
    expect(again?.id).toBe(first?.id);
    expect(other?.id).not.toBe(first?.id);
  });

  test('a reply has the id that it has in the next request of the tool loop', () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
    const reply = replyTo([user('x')], { content: '', toolCalls: [call] });
    const next = storedOf([
      user('x'),
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', content: 'y', tool_call_id: 'c' },
    ]);
    expect(next[1]).toEqual(reply);
  });

  test('a tool call is the same however it is written, and another one with other arguments', () => {
    const idOf = (call: object) => replyTo([user('x')], { content: '', toolCalls: [{ ...call }] })?.id;
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
        const path = chatPathOf(messages);
        for (const turn of path === null ? [] : turnsOf(path, path.turnId)) {
          expect(turn.id).toMatch(/^turn-[\w-]{24}(?:\.[\w-]{24})?$/);
          expect(turn.content === null || !turn.content.includes('\u0000')).toBe(true);
        }
      }),
    );
  });
});

test('a reply of nothing is no turn', () => {
  expect(replyTo([user('x')], { content: ' ', toolCalls: [] })).toBeNull();
});

test('the text of a message is that of its text parts', () => {
  const parts = [
    { type: 'text', text: 'a' },
    { type: 'image_url', image_url: {} },
    { type: 'text', text: 'b' },
  ];
  expect(lastUserText([user(parts), assistant('x')])).toBe('a\nb');
});

describe('chatPathOf', () => {
  test('distinguishes a history from a single message, and a continued turn from a new one', () => {
    expect(pathOf([user('x')])).toMatchObject({ hasHistory: false, isContinued: false, previousId: null });
    expect(pathOf([assistant('hi'), user('x')])).toMatchObject({ hasHistory: false, isContinued: false });
    expect(pathOf([user('x'), assistant('y')])).toMatchObject({ hasHistory: false, isContinued: true });
    expect(pathOf([user('x'), assistant('y'), user('z')])).toMatchObject({ hasHistory: true });
  });

  test('names the message before as it was stored with its own request', () => {
    const before = [user('a'), assistant('b')];
    expect(pathOf([...before, user('c')]).previousId).toBe(
      replyTo([user('a')], { content: 'b', toolCalls: [] })?.id,
    );
    expect(pathOf([user('a'), user('c')]).previousId).toBe(pathOf([user('a')]).turnId);
  });
});
