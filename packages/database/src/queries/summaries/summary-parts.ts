import type { Sql } from '../../pool/sql.ts';
import { visible } from '../memories/memory-rows.ts';
import { SUMMARISED, type SummarisedMemory } from './summaries.ts';
import type { SummaryClaim } from './summary-refresh.ts';

export type NarrativeMemory = SummarisedMemory &
  Readonly<{ id: string; importance: number; position: string }>;

/**
 * The memories of a user's narrative in the order in which they were stored, which changes do not move: a page after
 * `after`, the last one of the page before. Uses memories_user_idx.
 */
export async function listNarrativePage(
  sql: Sql,
  page: Readonly<{
    tenantId: string;
    userId: string;
    after: Readonly<{ position: string; id: string }> | null;
    limit: number;
  }>,
): Promise<NarrativeMemory[]> {
  const { rows } = await sql.query<NarrativeMemory>(
    `select ${SUMMARISED}, m.id, m.importance, m.created_at::text as position from memories m
     where m.tenant_id = $1::uuid and m.user_id = $2::text and m.conversation_id = '' and ${visible('m')}
       and ($3::timestamptz is null or (m.created_at, m.id) > ($3::timestamptz, $4::uuid))
     order by m.created_at, m.id limit $5::integer`,
    [page.tenantId, page.userId, page.after?.position ?? null, page.after?.id ?? null, page.limit],
    { name: 'list_narrative_page' },
  );
  return rows;
}

type SummaryId = Pick<SummaryClaim, 'tenantId' | 'id'>;

/** The texts of a summary's parts, by their hash in hex. Uses summary_parts_pkey. */
export async function listSummaryParts(sql: Sql, summary: SummaryId): Promise<Map<string, string>> {
  const { rows } = await sql.query<{ hash: string; content: string }>(
    `select encode(hash, 'hex') as hash, content from summary_parts
     where tenant_id = $1::uuid and summary_id = $2::uuid`,
    [summary.tenantId, summary.id],
    { name: 'list_summary_parts' },
  );
  return new Map(rows.map(({ hash, content }) => [hash, content]));
}

/** Keeps the text of a part. Nothing happens when the summary is gone. */
export async function saveSummaryPart(
  sql: Sql,
  summary: SummaryId,
  part: Readonly<{ hash: string; content: string }>,
): Promise<void> {
  await sql.query(
    `insert into summary_parts (summary_id, hash, tenant_id, content)
     select id, decode($3::text, 'hex'), tenant_id, $4::text from summaries
     where tenant_id = $1::uuid and id = $2::uuid on conflict do nothing`,
    [summary.tenantId, summary.id, part.hash, part.content],
  );
}

/** Deletes the parts of a summary but these: the rest is of memories that have changed since. */
export async function dropSummaryParts(
  sql: Sql,
  summary: SummaryId,
  keptHashes: readonly string[],
): Promise<void> {
  await sql.query(
    `delete from summary_parts where tenant_id = $1::uuid and summary_id = $2::uuid
       and encode(hash, 'hex') <> all($3::text[])`,
    [summary.tenantId, summary.id, keptHashes],
  );
}
