import type { AcceptedMessages, List, Memory } from '@factmill/contracts';
import { waitFor } from '@factmill/testkit';
import { callJson } from './call-json.ts';
import { type LocomoConversation, type LocomoSession, parseDateTime } from './locomo-data.ts';
import type { Stage } from './stage.ts';

export type Client = Readonly<{ url: string; headers: Readonly<Record<string, string>> }>;

const PAGE = 200;

/**
 * Posts every session as a conversation of its own, and waits until all of them are extracted. `seconds` is from
 * the first that was accepted to the last that ended.
 *
 * @throws Error when one of them failed, was dropped or went without vectors: the recall would not be the system's
 */
export async function ingest(
  stage: Stage,
  client: Client,
  conversations: readonly LocomoConversation[],
): Promise<{ extractions: number; seconds: number }> {
  let extractions = 0;
  for (const { name, sessions } of conversations) {
    for (const [index, session] of sessions.entries()) {
      const { extraction } = await callJson<AcceptedMessages>(
        `${client.url}/v1/conversations/${name}-${index + 1}/messages`,
        client.headers,
        { user_id: name, extract: 'now', messages: toMessages(session) },
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

/** Each turn as a message of a user with the speaker's name, a second after the one before. */
function toMessages({ date_time: dateTime, turns }: LocomoSession): object[] {
  const startsAtMs = parseDateTime(dateTime).getTime();
  return turns.map(({ id, speaker, text }, position) => ({
    id,
    role: 'user',
    name: speaker,
    content: text,
    created_at: new Date(startsAtMs + position * 1_000).toISOString(),
  }));
}

async function countOpen(stage: Stage): Promise<number> {
  const { rows } = await stage.database.query<{ count: number }>(
    `select count(*)::integer as count from extractions where state in ('pending', 'active')`,
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
