import { expect, test } from '@jest/globals';
import type { Memory } from '@factmill/contracts';
import { parseExport, toExportHeader, toExportLine } from './json-lines.ts';

const MEMORY: Memory = {
  id: '0199f3a0-0000-7000-8000-000000000001',
  user_id: 'maya',
  tier: 1,
  kind: 'fact',
  category: 'identity',
  key: 'home',
  value: 'Lisbon',
  content: 'The user lives in Lisbon.',
  question: null,
  answer: null,
  tags: ['a'],
  project: null,
  topic: null,
  importance: 0.5,
  confidence: 80,
  source: 'user',
  source_context: null,
  scope: 'global',
  created_at: '2026-05-10T12:00:00.000Z',
  updated_at: '2026-05-11T12:00:00.000Z',
  last_accessed_at: null,
  access_count: 3,
  expires_at: null,
  valid_from: '2026-05-10T12:00:00.000Z',
  valid_to: null,
  archived: false,
  channel: null,
  sender: null,
  event_date: null,
  source_tokens: null,
  last_verified_at: null,
  provenance: { extraction_id: null, message_ids: [] },
  metadata: { colour: 'blue' },
};

const HEADER = toExportHeader('maya', new Date(0));

test('what is exported can be imported', () => {
  const [item] = parseExport(`${HEADER}\n${toExportLine(MEMORY)}\n`);
  expect(item).toMatchObject({
    id: MEMORY.id,
    key: 'home',
    value: 'Lisbon',
    content: 'The user lives in Lisbon.',
    stated_at: MEMORY.created_at,
    metadata: { colour: 'blue' },
  });
});

test('an event keeps its day', () => {
  const event = {
    ...MEMORY,
    kind: 'event',
    key: null,
    value: null,
    valid_from: '2026-05-01T12:00:00.000Z',
  } as const;
  const [item] = parseExport(`${HEADER}\n${toExportLine(event)}\n`);
  expect(item).toMatchObject({ kind: 'event', stated_at: '2026-05-01T12:00:00.000Z' });
});

test.each([
  ['', /not an export of Factmill/],
  ['hidden', /not an export of Factmill/],
  ['{"format":"factmill-memories","version":2}', /not an export of Factmill/],
  [`${HEADER}\nhidden`, /^Item 1 of the export cannot be used: see id\.$/],
  [`${HEADER}\n${toExportLine(MEMORY)}\n{"id":"x","content":"hidden","tier":9}`, /^Item 2 .* see tier\.$/],
])('%j is refused, and nothing of it is shown', (text, sentence) => {
  expect(() => parseExport(text)).toThrow(sentence);
  expect(() => parseExport(text)).not.toThrow(/hidden/);
});
