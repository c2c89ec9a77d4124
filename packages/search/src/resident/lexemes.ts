import type { Sql } from '@factmill/database';
import { LRUCache } from 'lru-cache';

/** What full text makes of a term. */
export type Lexeme = Readonly<
  | { is: 'word'; key: number; lexeme: string }
  /** Like `the`: nothing is found by it, and it does not count as unknown. */
  | { is: 'function word' }
  /** Several lexemes in a row, as in `well-known`. */
  | { is: 'phrase' }
>;

export type FindLexemes = (sql: Sql, terms: readonly string[]) => Promise<Lexeme[]>;

const MAX_REMEMBERED = 20_000;

/** What terms are, as Postgres says. Each is asked for once: that does not change while a process runs. */
export function createFindLexemes(): FindLexemes {
  const known = new LRUCache<string, Lexeme>({ max: MAX_REMEMBERED });
  return async (sql, terms) => {
    const unknown = terms.filter((term) => !known.has(term));
    const asked = new Map<string, Lexeme>(unknown.length === 0 ? [] : await ask(sql, unknown));
    for (const [term, lexeme] of asked) known.set(term, lexeme);
    return terms.map((term) => asked.get(term) ?? known.get(term) ?? { is: 'phrase' });
  };
}

async function ask(sql: Sql, terms: readonly string[]): Promise<[string, Lexeme][]> {
  const { rows } = await sql.query<{
    term: string;
    nodes: number;
    key: number | null;
    lexeme: string | null;
  }>(
    `select term, nodes, lexeme, ${lexemeKey('lexeme')} as key
     from (
       select term, numnode(search_query(term)) as nodes, (tsvector_to_array(search_words(term)))[1] as lexeme
       from unnest($1::text[]) as term offset 0) as asked`,
    [terms],
    { name: 'find_lexemes' },
  );
  return rows.map(({ term, nodes, key, lexeme }) => {
    if (nodes === 0) return [term, { is: 'function word' }];
    const isWord = nodes === 1 && key !== null && lexeme !== null;
    return [term, isWord ? { is: 'word', key, lexeme } : { is: 'phrase' }];
  });
}

/** SQL of a lexeme's key in postings: 53 bits, so that two lexemes of a user hardly ever meet. */
export function lexemeKey(lexeme: string): string {
  return `(hashtextextended(${lexeme}, 0) & ${Number.MAX_SAFE_INTEGER})`;
}
