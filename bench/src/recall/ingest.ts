import type { AcceptedMessages, List, Memory } from '@factmill/contracts';
import { waitFor } from '@factmill/testkit';
import { callJson } from '../call-json.ts';
import type { Stage } from '../stage.ts';
import type { Conversation, Session } from './conversations.ts';

export type Client = Readonly<{ url: string; headers: Readonly<Record<string, string>> }>;

const PAGE = 200;

/**
 * Posts every session as a conversation of its own, and waits until all are extracted. `seconds` runs from the first
 * accepted to the last ended.
 *
 * @throws Error when an extraction failed, was dropped or got no vectors: recall would not measure the system
 */
export async function ingest(
  stage: Stage,
  client: Client,
  conversations: readonly Conversation[],
): Promise<{ extractions: number; seconds: number }> {
  let extractions = 0;
  for (const { name, sessions, between } of conversations) {
    for (const [index, session] of sessions.entries()) {
      const { extraction } = await callJson<AcceptedMessages>(
        `${client.url}/v1/conversations/${name}-${index + 1}/messages`,
        client.headers,
        { user_id: name, extract: 'now', messages: toMessages(session, between) },
      );
      if (extraction === null) throw new Error(`session ${index + 1} of ${name} is not extracted`);
      // A session with more turns than one extraction takes is extracted in parts.
      extractions += extraction.part_ids?.length ?? 1;
    }
  }
  await waitFor(async () => (await countOpen(stage)) === 0, {
    timeoutMs: 1_800_000,
    intervalMs: 250,
    describe: `${extractions} extractions to end`,
  });
  await waitFor(async () => (await countUnindexed(stage)) === 0, {
    timeoutMs: 1_800_000,
    intervalMs: 250,
    describe: 'turns to be indexed, with their vectors',
  });
  const { rows } = await stage.database.query<{ done: number; seconds: number }>(
    `select count(*) filter (where state = 'done' and degraded is null)::integer as done,
       extract(epoch from max(finished_at) - min(accepted_at))::float8 as seconds
     from extractions`,
  );
  const [ended] = rows;
  if (ended?.done !== extractions) {
    throw new Error(`of ${extractions} extractions ${ended?.done ?? 0} are done, with all they need`);
  }
  return { extractions, seconds: ended.seconds };
}

/**
 * In conversations between people, speakers are users with names. A user of an assistant has none, as most
 * applications send it.
 */
function toMessages({ turns }: Session, between: Conversation['between']): object[] {
  return turns.map(({ id, role, speaker, text, createdAt }) => ({
    id,
    role,
    ...(between === 'people' ? { name: speaker } : {}),
    content: text,
    created_at: createdAt.toISOString(),
  }));
}

async function countOpen(stage: Stage): Promise<number> {
  const { rows } = await stage.database.query<{ count: number }>(
    `select count(*)::integer as count from extractions where state in ('pending', 'active')`,
  );
  return rows[0]?.count ?? 0;
}

async function countUnindexed(stage: Stage): Promise<number> {
  const { rows } = await stage.database.query<{ count: number }>(
    `select (select count(*) from conversations where indexed_seq < last_seq)::integer
       + (select count(*) from turn_parts where embedding_pending_since is not null)::integer as count`,
  );
  return rows[0]?.count ?? 0;
}

/** All current memories of a user. */
export async function listMemories({ url, headers }: Client, userId: string): Promise<Memory[]> {
  const memories: Memory[] = [];
  let cursor: string | null = null;
  do {
    const query: string = new URLSearchParams({
      user_id: userId,
      limit: String(PAGE),
      ...(cursor === null ? {} : { cursor }),
    }).toString();
    const page: List<Memory> = await callJson<List<Memory>>(`${url}/v1/memories?${query}`, headers);
    memories.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return memories;
}
