import { waitFor } from '@factmill/testkit';
import type { ScriptedReply, ScriptedRequest } from '@factmill/testkit';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type ExtractorUnderTest, openExtractorUnderTest } from './extractor.fixture.ts';

const opened: ExtractorUnderTest[] = [];
afterEach(async () => {
  for (const under of opened.splice(0)) await under.close();
});

async function open(env: Record<string, string> = {}): Promise<ExtractorUnderTest> {
  const under = await openExtractorUnderTest({ env });
  opened.push(under);
  return under;
}

const SAID = [{ content: 'I live in Lisbon.' }];

/** An endpoint that has these models; `lists` says whether it offers `/models`. */
function host(under: ExtractorUnderTest, models: readonly string[], lists = true): void {
  under.model.setReply(({ endpoint, body }): ScriptedReply | undefined => {
    if (endpoint === 'models')
      return lists ? { body: { data: models.map((id) => ({ id })) } } : { status: 404 };
    if (endpoint !== 'chat' || models.includes(String(body['model']))) return undefined;
    return { status: 404, body: { error: { message: 'no such model', code: 'model_not_found' } } };
  });
}

const chats = (under: ExtractorUnderTest): ScriptedRequest[] =>
  under.model.calls.filter((call) => call.endpoint === 'chat');

const countOf = (text: string, part: string): number => text.split(part).length - 1;

async function health(url: string, path = '/health'): Promise<unknown> {
  return (await fetch(`${url}${path}`)).json();
}

describe('ordered model fallback (B1)', () => {
  const FALLBACKS = { LLM_MODEL: 'big', LLM_FALLBACK_MODELS: 'middle,small' };

  test('the first model of the list that the endpoint has answers, and is pinned', async () => {
    const under = await open(FALLBACKS);
    host(under, ['small', 'middle']);
    await under.start();
    const row = await under.ledger(await under.extract(SAID));
    expect(row).toMatchObject({ state: 'done', model: 'middle', added: 1 });
    const { model } = await under.database.one<{ model: string }>(`select model from extraction_outputs`);
    expect(model).toBe('middle');
    expect(under.log()).toContain('a model of LLM_FALLBACK_MODELS is used');
  });

  test.each([true, false])(
    'without any of them extraction is off and nothing is lost (list: %p)',
    async (lists) => {
      const under = await open(FALLBACKS);
      host(under, ['other'], lists);
      const extractor = await under.start();
      const waiting = await under.ledger(await under.extract(SAID), (row) => row.errorClass !== null);
      expect(waiting).toMatchObject({ state: 'pending', errorClass: 'unavailable', attempts: 0 });
      const second = await under.extract(SAID, { userId: 'noor' });
      expect(await health(extractor.url)).toMatchObject({
        status: 'degraded',
        impaired: ['extraction_model'],
      });
      expect(await health(extractor.url, '/readyz')).toMatchObject({
        ready: true,
        impaired: ['extraction_model'],
      });
      expect(await under.queues.counts()).toMatchObject({ maintenance: { failed: 0 } });

      host(under, ['small'], lists);
      for (const id of [waiting.id, second])
        expect(await under.ledger(id)).toMatchObject({ state: 'done', attempts: 1, model: 'small' });
      expect(countOf(under.log(), 'extraction is off')).toBe(1);
      expect(await health(extractor.url)).toMatchObject({ status: 'ok', extraction: 'small' });
    },
  );

  test('an endpoint with none of the models is named at the start already, once', async () => {
    const under = await open(FALLBACKS);
    host(under, []);
    const extractor = await under.start();
    await waitFor(() => under.log().includes('extraction is off'), { describe: 'the line in the log' });
    expect(await health(extractor.url)).toMatchObject({ impaired: ['extraction_model'] });
  });
});

test('without a list of fallbacks the smallest model of the endpoint answers, and is named', async () => {
  const under = await open({ LLM_MODEL: 'gone' });
  host(under, ['qwen3:8b', 'all-minilm:22m', 'qwen3:1.7b']);
  await under.start();
  const row = await under.ledger(await under.extract(SAID));
  expect(row).toMatchObject({ state: 'done', model: 'qwen3:1.7b', added: 1 });
  expect(under.log()).toContain('the smallest model that the endpoint has is used');
});

describe('the form of the reply', () => {
  test('JSON presets send a schema, and only until the endpoint refuses it', async () => {
    const under = await open();
    under.model.setReply(({ body }) =>
      body['response_format'] === undefined
        ? undefined
        : { status: 400, body: { error: { message: 'response_format is not supported', code: null } } },
    );
    await under.start();
    expect(await under.ledger(await under.extract(SAID))).toMatchObject({ state: 'done', attempts: 1 });
    await under.ledger(await under.extract(SAID, { userId: 'noor' }));
    const types = chats(under).map(
      ({ body }) => (body['response_format'] as { type: string } | undefined)?.type,
    );
    expect(types).toEqual(['json_schema', 'json_object', undefined, undefined]);
  });

  test('the reply to a single-fact preset is streamed and put together (B4)', async () => {
    const under = await open();
    await under.start();
    const row = await under.ledger(await under.extract(SAID, { preset: 'single-fact' }));
    expect(row).toMatchObject({ state: 'done', added: 1 });
    expect(row.completionTokens).toBeGreaterThan(0);
    expect(chats(under)[0]?.body).toMatchObject({ stream: true });
    expect(chats(under)[0]?.body).not.toHaveProperty('response_format');
    expect(await under.memories('maya')).toMatchObject([{ key: 'home', value: 'Lisbon' }]);
  });
});
