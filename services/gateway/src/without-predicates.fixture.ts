import type { Database, DatabasePool, Sql } from '@factmill/database';

const PREDICATE = /\b(?:\w+\.)?tenant_id = (\$\d+)(?:::uuid)?/g;

/**
 * A pool whose statements for a tenant do not ask for that tenant: as if the predicate had been forgotten in every one
 * of them. What is left is the policies of the tables.
 */
export function withoutPredicates(pool: DatabasePool): DatabasePool {
  return {
    ...bare(pool),
    within: (limitMs) => bare(pool.within(limitMs)),
    as: (who) => (who === 'tenant' ? withoutPredicates(pool) : pool.as(who)),
    close: () => pool.close(),
    pg: pool.pg,
  };
}

function bare(database: Database): Database {
  return {
    ...bareSql(database),
    transaction: (work, options) => database.transaction((tx) => work(bareSql(tx)), options),
  };
}

function bareSql(sql: Sql): Sql {
  const strip = (text: string) => text.replaceAll(PREDICATE, '$1::uuid is not null');
  return {
    query: (text, values, options) => sql.query(strip(text), values, options),
    one: (text, values, options) => sql.one(strip(text), values, options),
    maybeOne: (text, values, options) => sql.maybeOne(strip(text), values, options),
  };
}
