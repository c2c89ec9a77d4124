import { GLOBAL_SCOPE } from '@factmill/contracts';
import type { MemoryVersionRow } from '@factmill/database';

/** Columns for internal use only. */
const INTERNAL = new Set([
  'tenant_id',
  'content_hash',
  'subject_hash',
  'is_current',
  'search_text',
  'embedding_pending_since',
  'conversation_id',
]);

function publicFields(state: Record<string, unknown> | null): Record<string, unknown> | null {
  if (state === null) return null;
  const fields = Object.fromEntries(Object.entries(state).filter(([column]) => !INTERNAL.has(column)));
  return { ...fields, scope: state['conversation_id'] || GLOBAL_SCOPE };
}

/** A version in the form of the REST contract; `before` and `after` are the memory's fields. */
export function toVersion(row: MemoryVersionRow): Record<string, unknown> {
  return {
    memory_id: row.memoryId,
    number: row.number,
    operation: row.operation,
    before: publicFields(row.before),
    after: publicFields(row.after),
    actor: row.actor,
    extraction_id: row.extractionId,
    cause: row.cause,
    created_at: row.createdAt.toISOString(),
  };
}
