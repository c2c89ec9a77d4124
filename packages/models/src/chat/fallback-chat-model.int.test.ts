import { createScriptedModel, type ScriptedModel, type ScriptedReply, waitFor } from '@factmill/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  createFallbackChatModel,
  type FallbackChatModel,
  type ModelAvailability,
} from './fallback-chat-model.ts';
import { RECHECK_MS } from './pick-models.ts';

const messages = [{ role: 'user', content: 'I live in Lisbon.' }] as const;
const MISSING: ScriptedReply = {
  status: 404,
  body: { error: { message: 'The model `x` does not exist', code: 'model_not_found' } },
};

describe('createFallbackChatModel', () => {
  let server: ScriptedModel;
  let model: FallbackChatModel;
  let nowMs: number;
  let seen: ModelAvailability[];
  /** What the endpoint lists, or null when it offers no list; and the models that it has. */
  let listed: string[] | null;
  let present: string[];

  const open = (fallbackModels: string[]): FallbackChatModel =>
    createFallbackChatModel(
      { baseUrl: server.url, model: 'big', fallbackModels, timeoutMs: 2_000 },
      { now: () => nowMs, onAvailability: (availability) => seen.push(availability) },
    );
  const asked = (): unknown[] =>
    server.calls.filter(({ endpoint }) => endpoint === 'chat').map(({ body }) => body['model']);
  const listings = (): number => server.calls.filter(({ endpoint }) => endpoint === 'models').length;

  beforeAll(async () => {
    server = await createScriptedModel();
  });
  afterAll(() => server.close());
  beforeEach(() => {
    server.reset();
    server.setReply(({ endpoint, body }) => {
      if (endpoint === 'models')
        return listed === null ? { status: 404 } : { body: { data: listed.map((id) => ({ id })) } };
      return present.includes(String(body['model'])) ? undefined : MISSING;
    });
    nowMs = 0;
    seen = [];
    listed = ['big', 'middle', 'small'];
    present = ['big', 'middle', 'small'];
    model = open(['middle', 'small']);
  });
  afterEach(() => model.close());

  test('the configured model is asked when it is there, and the list is read once', async () => {
    expect((await model.complete({ messages })).model).toBe('big');
    nowMs += 10 * RECHECK_MS;
    await model.complete({ messages });
    expect(asked()).toEqual(['big', 'big']);
    expect(listings()).toBe(1);
    expect(seen).toEqual([{ kind: 'model', model: 'big' }]);
  });

  test('else the first of the list that is, until the configured one comes back', async () => {
    listed = ['small', 'middle'];
    await model.complete({ messages });
    await model.complete({ messages });
    expect(asked()).toEqual(['middle', 'middle']);
    expect(listings()).toBe(1);
    listed = ['big'];
    nowMs += RECHECK_MS;
    await model.complete({ messages });
    expect(asked()).toEqual(['middle', 'middle', 'big']);
    expect(seen.map((state) => (state.kind === 'model' ? state.model : state.kind))).toEqual([
      'middle',
      'big',
    ]);
  });

  test('a model that is listed but does not exist is passed over', async () => {
    present = ['small'];
    expect((await model.complete({ messages })).model).toBe('small');
    await model.complete({ messages });
    expect(asked()).toEqual(['big', 'middle', 'small', 'small']);
  });

  test('no model listed: nothing is asked, and the list is read again with the next call', async () => {
    listed = ['other'];
    await expect(model.complete({ messages })).rejects.toMatchObject({ code: 'model_unavailable' });
    expect(asked()).toEqual([]);
    expect(model.availability()).toEqual({ kind: 'none' });
    listed = ['small'];
    expect((await model.complete({ messages })).model).toBe('small');
    expect(model.name).toBe('small');
    expect(seen.map(({ kind }) => kind)).toEqual(['none', 'model']);
  });

  test('without a list the answers tell, and each later call costs one', async () => {
    listed = null;
    present = [];
    await expect(model.complete({ messages })).rejects.toMatchObject({ code: 'model_unavailable' });
    expect(asked()).toEqual(['big', 'middle', 'small']);
    for (let round = 0; round < 3; round += 1) {
      nowMs += 5_000;
      await expect(model.complete({ messages })).rejects.toMatchObject({ code: 'model_unavailable' });
    }
    expect(asked().slice(3)).toEqual(['big', 'middle', 'small']);
    present = ['middle'];
    nowMs += RECHECK_MS;
    expect((await model.complete({ messages })).model).toBe('middle');
  });

  test('an endpoint that is away is no missing model', async () => {
    server.setReply(() => ({ status: 503 }));
    await expect(model.complete({ messages })).rejects.toMatchObject({ code: 'model_transient' });
    expect(asked()).toEqual(['big']);
    expect(model.availability()).toEqual({ kind: 'unknown' });
  });

  test('check finds out beforehand, without asking a model; it never rejects', async () => {
    listed = ['small'];
    await model.check();
    expect(model.availability()).toEqual({ kind: 'model', model: 'small' });
    expect(asked()).toEqual([]);
    const other = open(['middle']);
    server.setReply(() => ({ destroy: true }));
    await other.check();
    expect(other.availability()).toEqual({ kind: 'unknown' });
    await other.close();
  });

  test('one model alone: its own answer tells, and only then a list is asked for', async () => {
    const alone = open([]);
    await alone.check();
    expect((await alone.complete({ messages })).model).toBe('big');
    expect(listings()).toBe(0);
    present = [];
    await expect(alone.complete({ messages })).rejects.toMatchObject({
      code: 'model_unavailable',
      message: expect.stringContaining('LLM_MODEL'),
    });
    expect(listings()).toBe(1);
    expect(alone.availability()).toEqual({ kind: 'none' });
    present = ['big'];
    expect((await alone.complete({ messages })).model).toBe('big');
    await alone.close();
  });

  test('one model alone that is missing: the smallest of the list, until it comes back', async () => {
    const alone = open([]);
    listed = ['qwen3:8b', 'nomic-embed-text:137m', 'qwen3:1.7b'];
    present = ['qwen3:8b', 'qwen3:1.7b'];
    expect((await alone.complete({ messages })).model).toBe('qwen3:1.7b');
    await alone.complete({ messages });
    expect(asked()).toEqual(['big', 'qwen3:1.7b', 'qwen3:1.7b']);
    expect(listings()).toBe(1);
    expect(seen).toEqual([{ kind: 'model', model: 'qwen3:1.7b' }]);
    expect(alone.name).toBe('qwen3:1.7b');
    listed = ['qwen3:1.7b', 'big'];
    present = listed;
    nowMs += RECHECK_MS;
    expect((await alone.complete({ messages })).model).toBe('big');
    await alone.close();
  });

  test('a smallest that is listed and missing makes room for the next one; fallbacks in the configuration for none', async () => {
    listed = ['big', 'qwen3:1.7b', 'qwen3:8b'];
    present = ['qwen3:8b'];
    const alone = open([]);
    expect((await alone.complete({ messages })).model).toBe('qwen3:8b');
    expect(asked()).toEqual(['big', 'qwen3:1.7b', 'qwen3:8b']);
    await alone.close();
    listed = ['qwen3:8b'];
    const listedOnly = open(['middle']);
    await expect(listedOnly.complete({ messages })).rejects.toMatchObject({ code: 'model_unavailable' });
    await listedOnly.close();
  });

  test('waiting for a list ends with the caller', async () => {
    server.setReply(() => ({ hang: true }));
    const controller = new AbortController();
    const call = model.complete({ messages, signal: controller.signal });
    await waitFor(() => listings() === 1, { describe: 'the list to be asked for' });
    const reason = new Error('stopping');
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
  });
});
