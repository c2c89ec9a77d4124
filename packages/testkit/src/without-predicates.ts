const PREDICATE = /\b(?:\w+\.)?tenant_id = (\$\d+)(?:::uuid)?/g;

/** What takes statements in `@factmill/database`, which the testkit stands beside and not upon. */
type Statements = Readonly<Record<'query' | 'one' | 'maybeOne', Statement>>;
type Statement = (text: string, ...rest: never[]) => unknown;
type WithTransactions = Statements & Readonly<{ transaction: (work: never, options?: never) => unknown }>;
type Pool = WithTransactions &
  Readonly<{ within: (limitMs: number) => WithTransactions; as: (who: never) => unknown }>;

/**
 * A pool whose statements for a tenant do not ask for that tenant: as if the predicate had been forgotten in every one
 * of them. What is left is the policies of the tables.
 *
 * @param onStatement is told the text that each of them is left with
 */
export function withoutPredicates<Given extends Pool>(
  pool: Given,
  onStatement: (text: string) => void = () => undefined,
): Given {
  function statements<Sql extends Statements>(sql: Sql): Sql {
    const bare =
      (name: keyof Statements): Statement =>
      (text, ...rest) => {
        const left = text.replaceAll(PREDICATE, '$1::uuid is not null');
        onStatement(left);
        return sql[name](left, ...rest);
      };
    return { ...sql, query: bare('query'), one: bare('one'), maybeOne: bare('maybeOne') };
  }
  function withTransactions<Database extends WithTransactions>(database: Database): Database {
    const transaction = (work: (tx: Statements) => unknown, options?: never) =>
      database.transaction(((tx: Statements) => work(statements(tx))) as never, options);
    return { ...statements(database), transaction };
  }
  return {
    ...withTransactions(pool),
    within: (limitMs: number) => withTransactions(pool.within(limitMs)),
    as: (who: string) => (who === 'tenant' ? withoutPredicates(pool, onStatement) : pool.as(who as never)),
  };
}
