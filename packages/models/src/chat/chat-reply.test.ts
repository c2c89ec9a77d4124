import { describe, expect, test } from '@jest/globals';
import { parseChatReply } from './chat-reply.ts';
import { UnusableReplyError } from '../errors/error-signals.ts';

const reply = (message: unknown, more: object = {}): unknown => ({ choices: [{ message, ...more }] });

describe('parseChatReply', () => {
  test('reads text, finish reason, usage and model', () => {
    const body = {
      model: 'small-2',
      choices: [{ message: { content: 'hello' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 12, completion_tokens: 3 },
    };
    expect(parseChatReply(body, 'small')).toEqual({
      text: 'hello',
      finishReason: 'stop',
      usage: { promptTokens: 12, completionTokens: 3 },
      model: 'small-2',
    });
  });

  test('joins content parts and leaves out those that are no text', () => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'image_url' },
      'b',
      null,
      { type: 'text', text: 'c' },
    ];
    expect(parseChatReply(reply({ content }), 'small').text).toBe('abc');
  });

  test('missing usage, model and finish reason have defaults', () => {
    expect(parseChatReply(reply({ content: 'x' }), 'small')).toEqual({
      text: 'x',
      finishReason: 'stop',
      usage: { promptTokens: 0, completionTokens: 0 },
      model: 'small',
    });
  });

  test('returns a text that was cut', () => {
    expect(parseChatReply(reply({ content: '{"a":' }, { finish_reason: 'length' }), 'small')).toMatchObject({
      text: '{"a":',
      finishReason: 'length',
    });
  });

  test.each([
    ['null content', reply({ content: null }, { finish_reason: 'stop' }), 'model_bad_reply'],
    ['blank content', reply({ content: ' \n' }), 'model_bad_reply'],
    ['no content', reply({}), 'model_bad_reply'],
    [
      'cut before any text',
      reply({ content: '', reasoning: 'hm' }, { finish_reason: 'length' }),
      'model_truncated',
    ],
    ['refusal', reply({ content: null, refusal: 'No.' }), 'model_refusal'],
    ['content filter', reply({ content: 'Well' }, { finish_reason: 'content_filter' }), 'model_refusal'],
  ])('%s is %s', (_, body, code) => {
    expect(() => parseChatReply(body, 'small')).toThrow(expect.objectContaining({ code }));
  });

  test('a reply without text is one where it may be', () => {
    const body = reply({ content: ' ' });
    expect(parseChatReply(body, 'small', { mayBeEmpty: true })).toMatchObject({
      text: ' ',
      finishReason: 'stop',
    });
    const cut = reply({ content: '' }, { finish_reason: 'length' });
    expect(() => parseChatReply(cut, 'small', { mayBeEmpty: true })).toThrow(
      expect.objectContaining({ code: 'model_truncated' }),
    );
  });

  test.each([undefined, null, 7, 'text', [], {}, { choices: [] }, { choices: [null] }, { choices: [{}] }])(
    '%j is no completion',
    (body) => {
      expect(() => parseChatReply(body, 'small')).toThrow(UnusableReplyError);
    },
  );
});
