import type { Sql } from '../pool/sql.ts';
import { candidateColumns, type CandidateRow } from './memory-rows.ts';
import { memoriesOf, type SearchTarget } from './search-filters.ts';

/** A shorter name is in too many words. */
const SHORTEST_NAME = 3;

/**
 * The user's visible memories of projects that the query names, whatever the case: the most important first, then
 * the newest statements. The names come from memories_project_idx, one step for each project.
 */
export async function searchByProject(
  sql: Sql,
  search: SearchTarget & Readonly<{ query: string; limit: number }>,
): Promise<CandidateRow[]> {
  const source = memoriesOf(search, 6, { anyUser: true });
  const owned = `p.tenant_id = $1::uuid and p.is_current and p.project is not null
    and ${search.userId === null ? '$2::text is null' : 'p.user_id = (select $2::text)'}`;
  const { rows } = await sql.query<CandidateRow>(
    `with recursive projects (name) as (
       (select min(p.project) from memories p where ${owned})
       union all
       select (select min(p.project) from memories p where ${owned} and p.project > projects.name)
       from projects where projects.name is not null
     ), named as materialized (
       select name from projects where length(name) >= $5::integer and strpos(lower($3::text), lower(name)) > 0
     )
     select m.* from named cross join lateral (
       select ${candidateColumns('m')} from ${source.relation} m
       where ${source.where('m')} and m.project = named.name
       order by m.importance desc, m.stated_at desc, m.id limit $4::integer
     ) as m
     order by m.importance desc, m."statedAt" desc, m.id limit $4::integer`,
    [search.tenantId, search.userId, search.query, search.limit, SHORTEST_NAME, ...source.values],
    { name: `search_project${source.variant}` },
  );
  return rows;
}
