import { describe, expect, test } from '@jest/globals';
import type { Sql } from '@factmill/database';
import { createReadiness } from './readiness.ts';

function databaseThat(answers: () => Promise<unknown>): Sql {
  return {
    query: answers as Sql['query'],
    one: () => Promise.reject(new Error()),
    maybeOne: () => Promise.reject(new Error()),
  };
}

describe('readiness', () => {
  test('names everything that is missing', async () => {
    const ok = databaseThat(() => Promise.resolve({ rows: [], rowCount: 1 }));
    const away = databaseThat(() => Promise.reject(new Error('away')));
    expect(await createReadiness({ database: ok })()).toEqual([]);
    expect(await createReadiness({ database: away })()).toEqual(['database']);
    const also = {
      queue: () => Promise.resolve(false),
      model: () => Promise.reject(new Error()),
      disk: () => Promise.resolve(true),
    };
    expect(await createReadiness({ database: away, also })()).toEqual(['database', 'queue', 'model']);
  });

  test('probes that come together ask once', async () => {
    let asked = 0;
    const database = databaseThat(() => {
      asked += 1;
      return Promise.resolve({ rows: [], rowCount: 1 });
    });
    const readiness = createReadiness({ database });
    await Promise.all([readiness(), readiness(), readiness()]);
    expect(asked).toBe(1);
  });
});
