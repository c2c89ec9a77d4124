import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { auditActionSchema } from './audit.ts';
import { EVENT_TYPES } from './events.ts';

// What an administrator filters by has to be on the page that says what there is.
test.each([
  ['actions of the audit', 'governance.md', auditActionSchema.options],
  ['types of events', 'events.md', EVENT_TYPES],
])('%s are all named in docs/%s', (_what, page, names: readonly string[]) => {
  const text = readFileSync(new URL(`../../../docs/${page}`, import.meta.url), 'utf8');
  expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});
