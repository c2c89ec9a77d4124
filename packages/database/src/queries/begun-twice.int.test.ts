import { openTestDatabase } from '@factmill/testkit/jest';
import { expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { migrate } from '../migrate/migrate.ts';
import { createPool } from '../pool/create-pool.ts';
import type { Sql } from '../pool/sql.ts';
import { createConversation } from './conversations/conversations.ts';
import { DEFAULT_TENANT_ID } from './operators/tenants.ts';
import { requestRetentionRun } from './retention/retention-runs.ts';

const { database } = await openTestDatabase({ createPool, migrate });

/** The database, in which something else happens after the first statement. */
function interrupted(act: () => Promise<unknown>): Sql {
  let statements = 0;
  const after = async <T>(answer: Promise<T>): Promise<T> => {
    const result = await answer;
    statements += 1;
    if (statements === 1) await act();
    return result;
  };
  return {
    ...database,
    query: (...given: Parameters<Sql['query']>) => after(database.query(...given)),
    one: (...given: Parameters<Sql['one']>) => after(database.one(...given)),
    maybeOne: (...given: Parameters<Sql['maybeOne']>) => after(database.maybeOne(...given)),
  } as Sql;
}

test('a conversation that is deleted while it is created again is created', async () => {
  const conversation = {
    tenantId: DEFAULT_TENANT_ID,
    id: 'diary',
    userId: 'maya',
    project: null,
    title: null,
    policy: {},
    metadata: {},
    staleAfterS: 1_800,
  };
  expect(await createConversation(database, conversation)).toMatchObject({ created: true });
  expect(await createConversation(database, conversation)).toMatchObject({ created: false });
  const deleting = interrupted(() => database.query("delete from conversations where id = 'diary'"));
  expect(await createConversation(deleting, conversation)).toMatchObject({
    created: true,
    conversation: { id: 'diary' },
  });
});

test('a retention run that ends while it is asked for again is answered', async () => {
  const request = () => ({ id: randomUUID(), tenantId: DEFAULT_TENANT_ID, requestedBy: 'maya' });
  const first = await requestRetentionRun(database, request());
  const ending = interrupted(() => database.query('update retention_runs set finished_at = now()'));
  expect(await requestRetentionRun(ending, request())).toEqual(first);
  const next = await requestRetentionRun(database, request());
  expect(next.id).not.toBe(first.id);
  expect(await requestRetentionRun(database, request())).toEqual(next);
});
