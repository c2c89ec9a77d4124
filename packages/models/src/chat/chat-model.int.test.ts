import { createServer } from 'node:net';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type AppError, isAppError } from '@factmill/errors';
import {
  createScriptedModel,
  freePort,
  type ScriptedModel,
  type ScriptedReply,
  type ScriptedRequest,
  waitFor,
} from '@factmill/testkit';
import { type ChatModel, type ChatModelConfig, createChatModel } from './chat-model.ts';
import { receivedReplyOf } from '../errors/received-reply.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 12, 0, 0);
const PROMPT = 'My favourite tea is oolong.';
const KEY = 'sk-very-secret';
const messages = [{ role: 'user', content: PROMPT }] as const;

describe('createChatModel', () => {
  let server: ScriptedModel;
  let model: ChatModel;
  const open = (config: Partial<ChatModelConfig> = {}): ChatModel =>
    createChatModel(
      { baseUrl: server.url, apiKey: KEY, model: 'small', timeoutMs: 5000, ...config },
      { now: () => NOW_MS },
    );
  const failure = async (chatModel: ChatModel = model, signal?: AbortSignal): Promise<AppError> => {
    const error: unknown = await chatModel.complete({ messages, ...(signal ? { signal } : {}) }).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!isAppError(error)) throw new Error(`no AppError but ${String(error)}`);
    return error;
  };

  beforeAll(async () => {
    server = await createScriptedModel();
  });
  afterAll(() => server.close());
  beforeEach(() => {
    server.reset();
    model = open();
  });
  afterEach(() => model.close());

  test('sends a plain completion and reads the answer', async () => {
    const reply = await model.complete({ messages });
    expect(JSON.parse(reply.text)).toEqual({ facts: { favourite_tea: 'oolong' }, context: [] });
    expect(reply).toMatchObject({ finishReason: 'stop', model: 'small' });
    expect(reply.usage.promptTokens).toBeGreaterThan(0);
    expect(server.calls[0]?.body).toEqual({
      model: 'small',
      messages,
      stream: false,
      max_tokens: 512,
      temperature: 0.1,
    });
    expect(server.calls[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  test.each([{ apiKey: '' }, {}])('without a key (%j) no Authorization header is sent', async (config) => {
    const keyless = createChatModel({ baseUrl: server.url, model: 'small', timeoutMs: 5000, ...config });
    await keyless.complete({ messages });
    expect(server.calls[0]?.headers).not.toHaveProperty('authorization');
    await keyless.close();
  });

  test('user and password in the URL become Basic authentication', async () => {
    const basic = open({ baseUrl: server.url.replace('//', '//ann:p%40ss@'), apiKey: '' });
    await basic.complete({ messages });
    expect(server.calls[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from('ann:p@ss').toString('base64')}`,
    );
    await basic.close();
  });

  const error = (status: number, code?: string, more: ScriptedReply = {}): ScriptedReply => ({
    status,
    body: { error: { message: `about ${PROMPT} and ${KEY}`, type: 'some_error', code: code ?? null } },
    ...more,
  });
  const after = (value: string): ScriptedReply => ({ headers: { 'retry-after': value } });
  const html = { headers: { 'content-type': 'text/html' }, body: `<!doctype html>${PROMPT}` };
  const ok = (message: object, finish = 'stop'): ScriptedReply => ({
    body: { choices: [{ message, finish_reason: finish }] },
  });

  const classified: readonly [string, ScriptedReply, string, number?][] = [
    ['429 with seconds', error(429, 'rate_limit_exceeded', after('7')), 'model_throttled', 7],
    ['429 with a date', error(429, undefined, after('Sat, 21 Nov 2026 12:00:30 GMT')), 'model_throttled', 30],
    ['429 with a day', error(429, undefined, after('86400')), 'model_throttled', 3600],
    ['429 without a time', error(429), 'model_throttled'],
    ['429 without a body', { status: 429, body: '' }, 'model_throttled'],
    ['429 with a used-up quota', error(429, 'insufficient_quota'), 'model_quota'],
    ['402', error(402), 'model_quota'],
    ['408', error(408), 'model_transient'],
    ['409', error(409), 'model_transient'],
    ['500', error(500), 'model_transient'],
    ['502 as a web page', { ...html, status: 502 }, 'model_transient'],
    ['503 with Retry-After', error(503, undefined, after('11')), 'model_transient', 11],
    ['a connection that is cut', { destroy: true }, 'model_transient'],
    ['a reply that is cut', { destroy: 'half' }, 'model_transient'],
    ['401', error(401, 'invalid_api_key'), 'model_config'],
    ['400 with a bad key', error(400, 'invalid_api_key'), 'model_config'],
    ['403', error(403), 'model_config'],
    ['404 of a model', error(404, 'model_not_found'), 'model_unavailable'],
    [
      '404 in the words of Ollama',
      { status: 404, body: { error: { message: "model 'small' not found" } } },
      'model_unavailable',
    ],
    ['404 of a path', { status: 404, body: { error: { message: 'no such route' } } }, 'model_config'],
    ['404 of a path as a web page', { ...html, status: 404 }, 'model_config'],
    ['405', error(405), 'model_config'],
    ['400 as a web page', { ...html, status: 400 }, 'model_config'],
    ['429 as a web page', { ...html, status: 429 }, 'model_throttled'],
    ['413 as a web page', { ...html, status: 413 }, 'model_input'],
    ['a web page', html, 'model_config'],
    ['400', error(400), 'model_input'],
    ['400 for a long context', error(400, 'context_length_exceeded'), 'model_input'],
    ['413', error(413), 'model_input'],
    ['422 with details', { status: 422, body: { detail: [{ msg: PROMPT }] } }, 'model_input'],
    ['400 of a content filter', error(400, 'content_filter'), 'model_refusal'],
    ['a refusal', ok({ content: null, refusal: 'I will not.' }), 'model_refusal'],
    ['a filtered answer', ok({ content: 'Wel' }, 'content_filter'), 'model_refusal'],
    ['a limit reached without text', ok({ content: '' }, 'length'), 'model_truncated'],
    ['null content', ok({ content: null }), 'model_bad_reply'],
    ['no choices', { body: { choices: [] } }, 'model_transient'],
    ['JSON cut short', { body: '{"choices":[{"mess' }, 'model_transient'],
    ['text', { body: 'fine, thank you', headers: { 'content-type': 'text/plain' } }, 'model_transient'],
    ['choices that are null', { body: { choices: null } }, 'model_transient'],
    ['a choice without a message', { body: { choices: [{ index: 0 }] } }, 'model_transient'],
    ['a web page that is called JSON', { body: html.body }, 'model_transient'],
    [
      'cut gzip',
      {
        body: gzipSync(JSON.stringify({ choices: [{ message: { content: PROMPT } }] })).subarray(0, 40),
        headers: { 'content-encoding': 'gzip' },
      },
      'model_transient',
    ],
    ['an empty body', { body: '' }, 'model_transient'],
    ['200 with an unknown error', { body: { error: { message: PROMPT } } }, 'model_transient'],
    ['200 with error 429', { body: { error: { message: PROMPT, code: 429 } } }, 'model_throttled'],
    ['200 with an overload', { body: { error: { type: 'overloaded_error' } } }, 'model_transient'],
    ['200 with a long context', { body: { error: { code: 'context_length_exceeded' } } }, 'model_input'],
  ];
  const rows = classified.map(([name, reply, code, wait]) => ({ name, reply, code, wait }));
  test.each(rows)('$name is $code', async ({ reply, code, wait }) => {
    server.setReply(() => reply);
    const thrown = await failure();
    expect(thrown.code).toBe(code);
    expect(thrown.retryAfterSeconds).toBe(wait);
    expect(server.callCount).toBe(1);
    const shown = `${thrown.message} ${String(thrown.cause)} ${JSON.stringify(thrown.cause)} ${thrown.cause instanceof Error ? thrown.cause.stack : ''}`;
    expect(shown).not.toContain(PROMPT);
    expect(shown).not.toContain(KEY);
  });

  test.each<[string, ScriptedReply, object]>([
    ['that is no JSON', { body: `no ${'x'.repeat(9_000)}` }, { raw: `no ${'x'.repeat(3_997)}`, model: null }],
    [
      'that declines',
      {
        body: {
          model: 'big',
          choices: [{ message: { refusal: 'No.' }, finish_reason: 'stop' }],
          usage: { prompt_tokens: 7, completion_tokens: 2 },
        },
      },
      { model: 'big', finishReason: 'stop', promptTokens: 7, completionTokens: 2 },
    ],
    ['that broke off before any text', ok({ content: '' }, 'length'), { finishReason: 'length' }],
  ])('a reply %s is known with the error, beside it', async (_name, reply, expected) => {
    server.setReply(() => reply);
    const thrown = await failure();
    expect(receivedReplyOf(thrown)).toMatchObject(expected);
    expect(inspect(thrown, { depth: 9, showHidden: true })).not.toContain('xxxx');
  });

  test('what was not answered with success is no reply', async () => {
    server.setReply(() => error(500));
    expect(receivedReplyOf(await failure())).toBeUndefined();
  });

  test.each(['text/event-stream', 'application/json'])('events as %s, unasked, are read', async (type) => {
    const event = (delta: object, finish: string | null) =>
      `data: ${JSON.stringify({ choices: [{ delta, finish_reason: finish }] })}\n\n`;
    const body = `${event({ content: 'wh' }, null)}${event({ content: 'ole' }, 'stop')}data: [DONE]\n\n`;
    server.setReply(() => ({ body, headers: { 'content-type': type } }));
    expect((await model.complete({ messages })).text).toBe('whole');
    server.setReply(() => ({ body: event({ content: 'wh' }, null), headers: { 'content-type': type } }));
    expect(await failure()).toMatchObject({ code: 'model_transient' });
  });

  test('a refused connection names host and port but no credentials', async () => {
    const port = await freePort();
    const nowhere = open({ baseUrl: `http://ann:p4ss@127.0.0.1:${port}/v1` });
    const thrown = await failure(nowhere);
    expect(thrown.code).toBe('model_transient');
    expect(thrown.message).toContain(`127.0.0.1:${port} (ECONNREFUSED)`);
    expect(`${thrown.message} ${thrown.stack}`).not.toContain('p4ss');
    await nowhere.close();
  });

  test('an unknown host is transient', async () => {
    const thrown = await failure(open({ baseUrl: 'http://does-not-exist.invalid/v1' }));
    expect(thrown.code).toBe('model_transient');
    expect(thrown.message).toMatch(/ENOTFOUND|EAI_AGAIN/);
  });

  test('a connection that is reset is transient', async () => {
    const resetter = createServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const port = await new Promise<number>((resolve) => {
      const address = (): number => {
        const bound = resetter.address();
        return typeof bound === 'object' && bound ? bound.port : 0;
      };
      resetter.listen(0, '127.0.0.1', () => resolve(address()));
    });
    const thrown = await failure(open({ baseUrl: `http://127.0.0.1:${port}/v1` }));
    expect(thrown).toMatchObject({ code: 'model_transient', message: expect.stringContaining('ECONNRESET') });
    await new Promise((resolve) => resetter.close(resolve));
  });

  test('a server that never answers is given up in time', async () => {
    server.setReply(() => ({ hang: true }));
    const thrown = await failure(open({ timeoutMs: 100 }));
    expect(thrown).toMatchObject({
      code: 'model_transient',
      message: expect.stringContaining('LLM_TIMEOUT_MS'),
    });
  });

  test('an abort surfaces as itself, at once', async () => {
    server.setReply(() => ({ hang: true }));
    const controller = new AbortController();
    const reason = new Error('stopping');
    const call = model.complete({ messages, signal: controller.signal });
    await waitFor(() => server.callCount === 1, { describe: 'the call to arrive' });
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    await expect(model.complete({ messages, signal: controller.signal })).rejects.toBe(reason);
    expect(server.callCount).toBe(1);
  });

  test('close ends what runs and refuses what comes', async () => {
    server.setReply(() => ({ hang: true }));
    const call = failure();
    await waitFor(() => server.callCount === 1, { describe: 'the call to arrive' });
    await model.close();
    expect((await call).code).toBe('shutting_down');
    expect((await failure()).code).toBe('shutting_down');
  });

  test('a text that was cut is returned', async () => {
    server.setReply(() => ({ content: '{"facts":{"a"', finishReason: 'length' }));
    expect(await model.complete({ messages })).toMatchObject({
      text: '{"facts":{"a"',
      finishReason: 'length',
    });
  });

  test('JSON with the content type of text is read', async () => {
    const body = JSON.stringify({ choices: [{ message: { content: 'hi' } }] });
    server.setReply(() => ({ body, headers: { 'content-type': 'text/plain' } }));
    expect((await model.complete({ messages })).text).toBe('hi');
  });

  test('parameters that the model does not take are left out from then on', async () => {
    server.setReply(({ body }) => {
      const param = 'max_tokens' in body ? 'max_tokens' : 'temperature' in body ? 'temperature' : undefined;
      if (param === undefined) return undefined;
      return { status: 400, body: { error: { message: 'no', param, code: 'unsupported_parameter' } } };
    });
    await model.complete({ messages });
    expect(server.calls.at(-1)?.body).toEqual({
      model: 'small',
      messages,
      stream: false,
      max_completion_tokens: 512,
    });
    expect(server.callCount).toBe(3);
    await model.complete({ messages });
    expect(server.callCount).toBe(4);
  });

  describe('the form of the reply', () => {
    const schema = { name: 'tea', schema: { type: 'object', additionalProperties: { type: 'string' } } };
    const refuse =
      (...types: string[]) =>
      ({ body }: ScriptedRequest): ScriptedReply | undefined => {
        const { type } = (body['response_format'] ?? {}) as { type?: string };
        if (type === undefined || !types.includes(type)) return undefined;
        return {
          status: 400,
          body: { error: { message: `'response_format.type' ${type} is not known`, code: null } },
        };
      };
    const sentFormats = (): unknown[] =>
      server.calls.map(({ body }) => (body['response_format'] as { type?: string } | undefined)?.type);

    test('is sent as a schema, not strict', async () => {
      await model.complete({ messages, schema });
      expect(server.calls[0]?.body['response_format']).toEqual({
        type: 'json_schema',
        json_schema: { ...schema, strict: false },
      });
    });

    test('is left out of requests that have none', async () => {
      await model.complete({ messages });
      expect(server.calls[0]?.body).not.toHaveProperty('response_format');
    });

    test('falls back to any JSON, then to nothing, and stays there', async () => {
      server.setReply(refuse('json_schema'));
      await model.complete({ messages, schema });
      await model.complete({ messages, schema });
      expect(sentFormats()).toEqual(['json_schema', 'json_object', 'json_object']);
      server.setReply(refuse('json_schema', 'json_object'));
      await model.complete({ messages, schema });
      await model.complete({ messages, schema });
      expect(sentFormats().slice(3)).toEqual(['json_object', undefined, undefined]);
    });

    test('a refusal of several parameters is learned step by step', async () => {
      const refuseFormat = refuse('json_schema', 'json_object');
      server.setReply((request) => {
        if (!('temperature' in request.body)) return refuseFormat(request);
        const error = { message: 'no', param: 'temperature', code: 'unsupported_value' };
        return { status: 400, body: { error } };
      });
      expect((await model.complete({ messages, schema })).finishReason).toBe('stop');
      expect(server.callCount).toBe(4);
    });

    test('another 400 is not taken for it', async () => {
      server.setReply(() => ({ status: 400, body: { error: { message: 'bad', code: null } } }));
      await expect(model.complete({ messages, schema })).rejects.toMatchObject({ code: 'model_input' });
      expect(server.callCount).toBe(1);
    });
  });

  test('a request can have a limit of its own', async () => {
    await model.complete({ messages, maxTokens: 20 });
    expect(server.calls[0]?.body['max_tokens']).toBe(20);
  });

  describe('streamed', () => {
    test('the chunks are put together, with finish reason and usage', async () => {
      server.setReply(() => ({ content: 'The user likes oolong — 烏龍 tea.\nNothing else.' }));
      const reply = await model.complete({ messages, stream: true });
      expect(reply).toMatchObject({
        text: 'The user likes oolong — 烏龍 tea.\nNothing else.',
        finishReason: 'stop',
        model: 'small',
      });
      expect(reply.usage.completionTokens).toBeGreaterThan(0);
      expect(server.calls[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
    });

    test('an endpoint that answers in one piece is understood', async () => {
      server.setReply(() => ({ body: { choices: [{ message: { content: 'whole' } }] } }));
      expect((await model.complete({ messages, stream: true })).text).toBe('whole');
    });

    test('usage is not asked for where that is refused', async () => {
      server.setReply(({ body }) =>
        'stream_options' in body
          ? { status: 400, body: { error: { message: 'Unknown field: stream_options' } } }
          : { content: 'fine' },
      );
      expect(await model.complete({ messages, stream: true })).toMatchObject({
        text: 'fine',
        usage: { promptTokens: 0, completionTokens: 0 },
      });
    });

    test('a stream that breaks off or ends without its end is tried again', async () => {
      const chunk = `data: ${JSON.stringify({ choices: [{ delta: { content: 'half' } }] })}\n\n`;
      const headers = { 'content-type': 'text/event-stream' };
      server.setReply(() => ({ body: chunk, headers }));
      const ended: unknown = await model
        .complete({ messages, stream: true })
        .catch((error: unknown) => error);
      expect(ended).toMatchObject({ code: 'model_transient' });
      server.setReply(() => ({ body: chunk.repeat(4), headers, destroy: 'half' }));
      const cut: unknown = await model.complete({ messages, stream: true }).catch((error: unknown) => error);
      expect(cut).toMatchObject({ code: 'model_transient' });
    });

    test('errors before and in the stream are classified', async () => {
      server.setReply(() => ({ status: 429, headers: { 'retry-after': '7' } }));
      await expect(model.complete({ messages, stream: true })).rejects.toMatchObject({
        code: 'model_throttled',
        retryAfterSeconds: 7,
      });
      const error = { message: PROMPT, code: 'server_error' };
      server.setReply(() => ({
        body: `data: ${JSON.stringify({ error })}\n\n`,
        headers: { 'content-type': 'text/event-stream' },
      }));
      await expect(model.complete({ messages, stream: true })).rejects.toMatchObject({
        code: 'model_transient',
        message: expect.not.stringContaining('oolong'),
      });
    });
  });

  test('a base URL that is none is refused when it is made', () => {
    expect(() => open({ baseUrl: 'ftp://host/secret' })).toThrow(
      expect.objectContaining({ code: 'model_config', message: expect.not.stringContaining('secret') }),
    );
  });
});
