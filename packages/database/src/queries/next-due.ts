import type { Sql } from '../pool/sql.ts';
import { openExtractions } from './extractions/open-extractions.ts';

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

/** Whether any extraction is open. In an order, so that extractions_open_idx is used. */
export async function isExtractionOpen(sql: Sql): Promise<boolean> {
  const { open } = await sql.one<{ open: boolean }>(
    `select (select true from extractions e where ${openExtractions('e')} order by e.accepted_no limit 1) is true as open`,
  );
  return open;
}
