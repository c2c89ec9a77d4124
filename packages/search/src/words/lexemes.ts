import type { Sql } from '@factmill/database';

/** What full text makes of a term. */
type Lexeme = Readonly<
  | { is: 'word'; key: bigint }
  /** Of no meaning, as `the` is: every text counts as having it, and none is found by it. */
  | { is: 'function word' }
  /** Several words in a row, as in `well-known`. */
  | { is: 'phrase' }
>;

/** What the terms of queries are, one after the other, as Postgres says. */
export type Lexemes = (sql: Sql, terms: readonly string[]) => Promise<Lexeme[]>;

/** Of terms that were asked for, so many are remembered. */
const MOST_REMEMBERED = 20_000;

/** Asks for a term once: how words are taken apart does not change while a process runs. */
export function createLexemes(): Lexemes {
  const known = new Map<string, Lexeme>();
  return async (sql, terms) => {
    const unknown = terms.filter((term) => !known.has(term));
    const asked = unknown.length === 0 ? [] : await askFor(sql, unknown);
    const all = terms.map((term) => known.get(term) ?? (asked[unknown.indexOf(term)] as Lexeme));
    if (known.size > MOST_REMEMBERED) known.clear();
    unknown.forEach((term, at) => known.set(term, asked[at] as Lexeme));
    return all;
  };
}

async function askFor(sql: Sql, terms: readonly string[]): Promise<Lexeme[]> {
  const { rows } = await sql.query<{ nodes: number; key: string | null }>(
    `select numnode(search_query(term)) as nodes,
       (select ${keyOf('word')}::text from unnest(tsvector_to_array(search_words(term))) as word limit 1) as key
     from unnest($1::text[]) with ordinality as asked (term, number) order by number`,
    [terms],
    { name: 'read_lexemes' },
  );
  return rows.map(({ nodes, key }) => {
    if (nodes === 0) return { is: 'function word' };
    return nodes > 1 || key === null ? { is: 'phrase' } : { is: 'word', key: BigInt(key) };
  });
}

/** The key of a word in a table of words. 64 bits: that two words of a user meet is next to impossible. */
export function keyOf(word: string): string {
  return `hashtextextended(${word}, 0)`;
}
