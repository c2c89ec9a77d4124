import type { Message } from '@factmill/contracts';
import type { MessageRow } from '@factmill/database';

/** A message in the form of the REST contract. */
export function toMessage(row: MessageRow): Message {
  return {
    id: row.id,
    seq: row.seq,
    role: row.role,
    content: row.content,
    name: row.name,
    channel: row.channel,
    sender: row.sender,
    tool_calls: row.toolCalls,
    tool_call_id: row.toolCallId,
    superseded: row.superseded,
    removed_at: row.removedAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
  };
}
