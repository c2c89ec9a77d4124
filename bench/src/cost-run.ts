import type { AcceptedMessages, Memory } from '@factmill/contracts';
import type { Preset } from '@factmill/extraction';
import { waitFor } from '@factmill/testkit';
import { callJson } from './call-json.ts';
import type { Conversation, Turn, User } from './cost-conversations.ts';
import { type Client, listMemories } from './recall/ingest.ts';
import type { Stage } from './stage.ts';

/**
 * Plays the conversations of all users in parallel, each user's one after the other. Turns are posted one by one
 * without their pauses: where the preset's quiet gap or idle timeout would end within a pause, the conversation is
 * flushed, and a summary that would be refreshed becomes due.
 *
 * @returns the id of each user in this run, with the current memories
 */
export async function converse(
  stage: Stage,
  client: Client,
  preset: Preset,
  users: readonly User[],
): Promise<{ user: User; memories: Memory[] }[]> {
  return Promise.all(
    users.map(async (user) => {
      const userId = `${preset.name}-${user.id}`;
      for (const conversation of user.conversations) await play(stage, client, preset, userId, conversation);
      return { user, memories: await listMemories(client, userId) };
    }),
  );
}

async function play(
  stage: Stage,
  { url, headers }: Client,
  preset: Preset,
  userId: string,
  conversation: Conversation,
): Promise<void> {
  const id = `${preset.name}-${conversation.id}`;
  await callJson(`${url}/v1/conversations`, headers, {
    id,
    user_id: userId,
    policy: { preset: preset.name },
  });
  const path = `${url}/v1/conversations/${id}`;
  let atMs = conversation.startsAt.getTime();
  let gathered = 0;
  for (const [position, turn] of conversation.turns.entries()) {
    atMs += turn.pauseS * 1_000;
    const { extraction } = await callJson<AcceptedMessages>(`${path}/messages`, headers, {
      user_id: userId,
      messages: [toMessage(turn, position, atMs)],
    });
    if (turn.role === 'user') gathered += 1;
    const next = conversation.turns[position + 1];
    const isDue = gathered > 0 && (next === undefined || endsIn(next.pauseS, gathered, preset));
    if (extraction === null && !isDue) continue;
    if (extraction === null) await callJson(`${path}/flush`, headers, { user_id: userId });
    gathered = 0;
    await settle(stage, userId, id);
  }
}

/** Whether the preset's trigger fires in a pause of this length. */
function endsIn(pauseS: number, gathered: number, { trigger }: Preset): boolean {
  const { minTurns, quietGapS, idleTimeoutS } = trigger;
  const isQuiet = quietGapS > 0 && gathered >= minTurns && pauseS >= quietGapS;
  return isQuiet || (idleTimeoutS > 0 && pauseS >= idleTimeoutS);
}

/**
 * Waits until everything is extracted and summarised: summaries are due 2 s after a change, less than people pause.
 */
async function settle(stage: Stage, userId: string, conversationId: string): Promise<void> {
  await waitFor(
    async () =>
      isNone(
        stage,
        `select from extractions where conversation_id = $1::text and state in ('pending', 'active')`,
        [conversationId],
      ),
    { timeoutMs: 60_000, intervalMs: 15, describe: `extractions of ${conversationId}` },
  );
  const { rowCount } = await stage.database.query(
    `update summaries set refresh_at = now() where user_id = $1::text and stale_since is not null`,
    [userId],
  );
  if (rowCount === 0) return;
  await waitFor(
    async () =>
      isNone(stage, `select from summaries where user_id = $1::text and stale_since is not null`, [userId]),
    { timeoutMs: 60_000, intervalMs: 25, describe: `summaries of ${userId}` },
  );
}

async function isNone(stage: Stage, query: string, values: readonly string[]): Promise<boolean> {
  const { rowCount } = await stage.database.query(query, [...values]);
  return rowCount === 0;
}

function toMessage(turn: Turn, position: number, atMs: number): object {
  return {
    id: `t${position + 1}`,
    role: turn.role,
    content: turn.content,
    ...(turn.toolCalls === undefined ? {} : { tool_calls: turn.toolCalls }),
    ...(turn.toolCallId === undefined ? {} : { tool_call_id: turn.toolCallId }),
    created_at: new Date(atMs).toISOString(),
  };
}
