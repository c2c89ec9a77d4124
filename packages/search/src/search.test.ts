import { DEFAULT_TENANT_ID, type Sql } from '@factmill/database';
import { expect, test } from '@jest/globals';
import { createSearch } from './search.ts';

/** A database that answers every statement with nothing, and counts them. */
function countingSql() {
  let statements = 0;
  const query = async () => {
    statements += 1;
    return { rows: [], rowCount: 0 };
  };
  const sql: Sql = {
    query,
    maybeOne: async () => (await query()).rows[0],
    one: () => Promise.reject(new Error('none')),
  };
  return { sql, statements: () => statements };
}

function searchOn(sql: Sql, isAbandoned: () => boolean) {
  const search = createSearch({
    database: sql,
    embedQuery: async () => ({ unavailable: 'no_provider' }),
    reranker: null,
    defaultMode: 'fused',
    recordAccesses: () => undefined,
    logger: { warn: () => undefined } as never,
    now: () => new Date(),
  });
  return search({
    tenantId: DEFAULT_TENANT_ID,
    userId: 'ann',
    request: { query: 'clock tower', limit: 5 } as never,
    isAbandoned,
  });
}

test('of a search whose caller has gone no further statement is sent', async () => {
  const database = countingSql();
  await expect(searchOn(database.sql, () => true)).rejects.toMatchObject({ code: 'retrieval_unavailable' });
  expect(database.statements()).toBe(0);

  const whole = countingSql();
  await searchOn(whole.sql, () => false);
  const few = countingSql();
  await expect(searchOn(few.sql, () => few.statements() > 0)).rejects.toMatchObject({
    code: 'retrieval_unavailable',
  });
  expect(few.statements()).toBeLessThan(whole.statements());
});
