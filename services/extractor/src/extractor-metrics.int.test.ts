import type { ExtractionRow } from '@factmill/database';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ExtractorUnderTest, openExtractorUnderTest } from './extractor.fixture.ts';
import type { Extractor } from './index.ts';

let under: ExtractorUnderTest;
let extractor: Extractor;
beforeAll(async () => {
  under = await openExtractorUnderTest();
  extractor = await under.start();
});
afterAll(() => under.close());

/** The sum of all series of a metric that have these labels; undefined when there is none. */
async function valueOf(name: string, labels: Record<string, string> = {}): Promise<number | undefined> {
  const text = await (await fetch(`${extractor.url}/metrics`)).text();
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const values = text
    .split('\n')
    .filter((line) => new RegExp(`^${name}[{ ]`).test(line) && wanted.every((label) => line.includes(label)))
    .map((line) => Number.parseFloat(line.split(' ')[1] ?? ''));
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0);
}

test('every counter is there at 0 before anything happens', async () => {
  for (const outcome of ['done', 'delay', 'pause', 'fail'])
    expect(await valueOf('factmill_extractions_total', { outcome })).toBe(0);
  for (const kind of ['daily', 'weekly'])
    expect(await valueOf('factmill_compressions_total', { kind, outcome: 'fail' })).toBe(0);
  for (const name of [
    'vectors_repaired',
    'extractions_scheduled',
    'extractions_requeued',
    'extractions_dropped',
  ])
    expect(await valueOf(`factmill_${name}_total`)).toBe(0);
  expect(await valueOf('factmill_summaries_total', { of: 'user', result: 'model_refusal' })).toBe(0);
  for (const purpose of ['extraction', 'reconcile', 'summary', 'compression']) {
    expect(await valueOf('factmill_model_calls_total', { purpose })).toBe(0);
    expect(await valueOf('factmill_model_tokens_total', { purpose, direction: 'input' })).toBe(0);
  }
});

test('model calls and tokens are those of the ledger, also of calls that bring no memories', async () => {
  const usage = { prompt_tokens: 40, completion_tokens: 2 };
  const replies = [
    { body: { choices: [{ message: { refusal: 'no' }, finish_reason: 'stop' }], usage } },
    { content: '{"facts":{"home":"Lisbon"}}' },
    { status: 400 },
  ];
  under.model.setReply(({ endpoint }) => (endpoint === 'chat' ? replies.shift() : undefined));
  const rows: ExtractionRow[] = [];
  for (const userId of ['a', 'b', 'c'])
    rows.push(await under.ledger(await under.extract([{ content: 'I live in Lisbon.' }], { userId })));
  expect(rows.map((row) => row.modelCalls)).toEqual([1, 1, 0]);
  const sum = (pick: (row: ExtractionRow) => number | null) =>
    rows.reduce((total, row) => total + (pick(row) ?? 0), 0);
  const purpose = 'extraction';
  expect(await valueOf('factmill_model_calls_total', { purpose })).toBe(2);
  expect(await valueOf('factmill_model_tokens_total', { purpose, direction: 'input' })).toBe(
    sum((row) => row.promptTokens),
  );
  expect(await valueOf('factmill_model_tokens_total', { purpose, direction: 'output' })).toBe(
    sum((row) => row.completionTokens),
  );
});
