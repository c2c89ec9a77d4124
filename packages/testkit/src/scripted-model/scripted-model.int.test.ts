import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import { startProcess } from '../start-process.ts';
import { waitFor } from '../wait-for.ts';
import { createScriptedModel, type ScriptedModel } from './scripted-model.ts';

const post = (url: string, body: unknown): Promise<Response> =>
  fetch(url, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });

const chat = (text: string, more: object = {}): object => ({
  model: 'm',
  messages: [{ role: 'user', content: text }],
  ...more,
});

describe('createScriptedModel', () => {
  let model: ScriptedModel;
  beforeAll(async () => {
    model = await createScriptedModel();
  });
  afterAll(() => model.close());
  beforeEach(() => model.reset());

  test('answers with the facts of the last user message and records the call', async () => {
    const response = await post(`${model.url}/chat/completions`, chat('I live in Oslo.'));
    expect(await response.json()).toMatchObject({
      model: 'm',
      choices: [{ message: { content: '{"facts":{"home":"Oslo"},"context":[]}' }, finish_reason: 'stop' }],
    });
    expect(model.callCount).toBe(1);
    expect(model.calls[0]).toMatchObject({
      endpoint: 'chat',
      userText: 'I live in Oslo.',
      body: { model: 'm' },
    });
  });

  test('streams when asked to', async () => {
    const body = chat('hi', { stream: true, stream_options: { include_usage: true } });
    model.setReply(() => ({ content: 'one two  three' }));
    const response = await post(`${model.url}/chat/completions`, body);
    const events = (await response.text())
      .trim()
      .split('\n\n')
      .map((line) => line.replace('data: ', ''));
    expect(events.pop()).toBe('[DONE]');
    const chunks: { choices: { delta: { content?: string } }[] }[] = events.map((event) => JSON.parse(event));
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('one two  three');
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
  });

  test('embeds in the size and encoding asked for', async () => {
    const response = await post(`${model.url}/embeddings`, {
      input: ['a b', 'c'],
      dimensions: 8,
      encoding_format: 'base64',
    });
    const { data }: { data: { index: number; embedding: string }[] } = JSON.parse(await response.text());
    expect(data.map(({ index }) => index)).toEqual([0, 1]);
    expect(Buffer.from(data[0]?.embedding ?? '', 'base64')).toHaveLength(32);
  });

  test('replies are scripted by request', async () => {
    model.setReply(({ userText }) =>
      userText === 'no' ? { status: 429, headers: { 'retry-after': '3' } } : undefined,
    );
    const refused = await post(`${model.url}/chat/completions`, chat('no'));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3']);
    expect((await post(`${model.url}/chat/completions`, chat('yes'))).status).toBe(200);
    expect((await fetch(`${model.url}/models`)).status).toBe(200);
  });

  test('can cut connections and never answer', async () => {
    for (const destroy of [true, 'half'] as const) {
      model.setReply(() => ({ destroy }));
      await expect(post(`${model.url}/chat/completions`, chat('x')).then((r) => r.text())).rejects.toThrow(
        /fetch failed|terminated/,
      );
    }
    model.setReply(() => ({ hang: true }));
    const controller = new AbortController();
    const call = fetch(`${model.url}/chat/completions`, {
      method: 'POST',
      body: '{}',
      signal: controller.signal,
    });
    await waitFor(() => model.callCount === 3, { describe: 'the call to arrive' });
    controller.abort();
    await expect(call).rejects.toThrow('aborted');
  });

  test('bad JSON and unknown paths are errors', async () => {
    expect((await fetch(`${model.url}/chat/completions`, { method: 'POST', body: '{' })).status).toBe(400);
    expect((await fetch(`${model.url}/nothing`)).status).toBe(404);
    expect(model.callCount).toBe(0);
  });
});

describe('the scripted model as a process', () => {
  test('is steered over HTTP and stops on SIGTERM', async () => {
    const child = await startProcess({
      entry: fileURLToPath(new URL('main.ts', import.meta.url)),
      env: { PORT: '0' },
      readyWhen: /listening on (\S+)\/v1/,
    });
    const base = child.ready?.[1] ?? '';
    const status = async (): Promise<number> =>
      (await post(`${base}/v1/chat/completions`, chat('fact 1'))).status;
    expect(await status()).toBe(200);
    expect((await post(`${base}/__script`, { mode: 'refuse-503', times: 1 })).status).toBe(200);
    expect([await status(), await status()]).toEqual([503, 200]);
    await post(`${base}/__script`, { mode: 'throttle', retryAfterSeconds: 2 });
    expect(await status()).toBe(429);
    expect((await post(`${base}/__script`, { mode: 'dance' })).status).toBe(400);
    expect(await (await fetch(`${base}/__calls`)).json()).toEqual({
      chat: 4,
      embeddings: 0,
      chatAtMs: Array.from({ length: 4 }, () => expect.any(Number)),
    });
    await post(`${base}/__reset`, {});
    expect(await (await fetch(`${base}/__calls`)).json()).toEqual({
      chat: 0,
      embeddings: 0,
      chatAtMs: [],
    });
    await child.kill('SIGTERM');
    expect(await child.exit).toEqual({ code: 0, signal: null });
  });
});
