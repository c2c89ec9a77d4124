import type { Sql } from '../pool/sql.ts';

/** In milliseconds from now: negative when it is due already, infinite when nothing is. */
type DueIn = Promise<number>;

const untilMs = (due: string) =>
  `select coalesce(extract(epoch from (${due}) - now()) * 1000, 'infinity')::float8 as ms`;

/** When the next conversation is to be extracted. Uses conversations_due_idx. */
export async function nextConversationDueMs(sql: Sql): DueIn {
  const due = `select min(extraction_due_at) from conversations where extraction_due_at < 'infinity'`;
  return (await sql.one<{ ms: number }>(untilMs(due))).ms;
}

/** When the next summary is to be refreshed. Uses summaries_refresh_idx. */
export async function nextSummaryDueMs(sql: Sql): DueIn {
  const due = 'select min(greatest(refresh_at, lease_until)) from summaries where refresh_at is not null';
  return (await sql.one<{ ms: number }>(untilMs(due))).ms;
}

/** Whether any extraction is open. Uses extractions_open_idx. */
export async function isExtractionOpen(sql: Sql): Promise<boolean> {
  const { open } = await sql.one<{ open: boolean }>(
    `select exists (select from extractions where state in ('pending', 'active')) as open`,
  );
  return open;
}
