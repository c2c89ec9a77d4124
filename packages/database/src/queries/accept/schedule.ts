import type { Schedule } from '@factmill/contracts';
import type { Sql } from '../../pool/sql.ts';
import type { DroppedExtraction } from './accept.ts';

export type Scheduled = Readonly<{
  /** How many conversations were due. When it equals `most`, there may be more. */
  conversations: number;
  /** Their ledger rows, in their order. */
  scheduled: readonly Readonly<{ id: string; tenantId: string; generation: number }>[];
  dropped: readonly DroppedExtraction[];
}>;

/**
 * Writes the ledger rows of due conversations, longest due first, at most `most` conversations, in one statement and
 * one commit. Parallel callers get different conversations. The limits of acceptConversations apply. Uses
 * conversations_due_idx.
 */
export async function scheduleDueConversations(
  sql: Sql,
  options: Readonly<{
    most: number;
    limits: Readonly<{ queueLimit: number; tenantQueueLimit: number }>;
    schedule: Schedule;
  }>,
): Promise<Scheduled> {
  const { limits } = options;
  const { result } = await sql.one<{
    result: {
      conversations: number;
      scheduled: { id: string; tenant_id: string; generation: number }[];
      dropped: DroppedExtraction[];
    };
  }>(
    'select schedule_due_conversations($1::integer, $2::integer, $3::integer, $4::jsonb) as result',
    [options.most, limits.queueLimit, limits.tenantQueueLimit, JSON.stringify(options.schedule)],
    { name: 'schedule_due_conversations' },
  );
  return {
    conversations: result.conversations,
    scheduled: result.scheduled.map(({ id, tenant_id: tenantId, generation }) => ({
      id,
      tenantId,
      generation,
    })),
    dropped: result.dropped,
  };
}
