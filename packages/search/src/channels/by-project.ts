import { candidateColumns, type CandidateRow, isConnectTimeout, type Sql } from '@factmill/database';
import { memoriesOf, type SearchTarget } from '../target.ts';
import type { Channel } from './channel.ts';

/** A shorter name is in too many words. */
const MIN_NAME_CHARACTERS = 3;

/** Memories of the projects that the query names. Full text has already seen whether it names one. */
export const projectChannel: Channel = async ({ database, target, request, settings, limit, first }) => {
  // In this mode full text may not be asked at all.
  if (settings.mode !== 'vector' && settings.channels.has('text')) {
    const text = await first.fullText().catch((error: unknown) => {
      // Waiting for a connection once more would bring none either.
      if (isConnectTimeout(error)) throw error;
      return null;
    });
    if (text?.mayNameProject === false) return [];
  }
  const rows = await searchByProject(database, { ...target, query: request.query, limit });
  return rows.map((row) => ({ row, value: 1 }));
};

/**
 * The user's visible memories of projects that the query names, whatever the case: the most important first, then
 * the newest statements.
 */
export async function searchByProject(
  sql: Sql,
  search: SearchTarget & Readonly<{ query: string; limit: number }>,
): Promise<CandidateRow[]> {
  const source = memoriesOf(search, 5, { anyUser: true });
  const { rows } = await sql.query<CandidateRow>(
    `with named as materialized (${projectsNamed(search, '$3')})
     select m.* from named cross join lateral (
       select ${candidateColumns('m')} from ${source.relation} m
       where ${source.where('m')} and m.project = named.name
       order by m.importance desc, m.stated_at desc, m.id limit $4::integer
     ) as m
     order by m.importance desc, m."statedAt" desc, m.id limit $4::integer`,
    [search.tenantId, search.userId, search.query, search.limit, ...source.values],
    { name: `search_project${source.variant}` },
  );
  return rows;
}

const ASCII = /^\p{ASCII}*$/u;

/**
 * Whether a query may name one of the projects: never no when `searchByProject` finds something. What is lower case
 * beyond ASCII depends on the database's locale, so that it is left to that.
 */
export function mayName(query: string, projects: readonly string[]): boolean {
  const given = query.toLowerCase();
  return projects.some(
    (name) =>
      name.length >= MIN_NAME_CHARACTERS &&
      (!ASCII.test(query) || !ASCII.test(name) || given.includes(name.toLowerCase())),
  );
}

/**
 * A query for the names of the projects of the user in `$2` (tenant in `$1`) that the text at a place names, one step
 * of memories_project_idx for each project that there is.
 */
export function projectsNamed({ userId }: Pick<SearchTarget, 'userId'>, place: string): string {
  const owned = `p.tenant_id = $1::uuid and p.is_current and p.project is not null
    and ${userId === null ? '$2::text is null' : 'p.user_id = (select $2::text)'}`;
  return `
    with recursive projects (name) as (
      (select min(p.project) from memories p where ${owned})
      union all
      select (select min(p.project) from memories p where ${owned} and p.project > projects.name)
      from projects where projects.name is not null
    )
    select name from projects
    where length(name) >= ${MIN_NAME_CHARACTERS} and strpos(lower(${place}::text), lower(name)) > 0`;
}
