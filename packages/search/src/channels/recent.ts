import { memoryColumns, type MemoryRow, type Sql } from '@factmill/database';
import { memoriesOf, type SearchTarget } from '../target.ts';
import type { Channel } from './channel.ts';

/** What there is when nothing else answers. */
export const recentChannel: Channel = async ({ database, target, limit }) =>
  (await searchRecent(database, { ...target, limit })).map((row) => ({ row, value: row.statedAt.getTime() }));

/** What the user stated last, newest first. Uses memories_stated_idx. */
export async function searchRecent(
  sql: Sql,
  search: SearchTarget & Readonly<{ limit: number }>,
): Promise<MemoryRow[]> {
  const source = memoriesOf(search, 4, { anyUser: true });
  const { rows } = await sql.query<MemoryRow>(
    `select ${memoryColumns('m')} from ${source.relation} m where ${source.where('m')}
     order by m.stated_at desc, m.id desc limit $3::integer`,
    [search.tenantId, search.userId, search.limit, ...source.values],
    { name: `search_recent${source.variant}` },
  );
  return rows;
}
