import type { Memory } from '@factmill/contracts';
import { waitFor } from '@factmill/testkit';
import { callJson } from './call-json.ts';
import { type LocomoConversation, type LocomoSession, parseDateTime } from './locomo-data.ts';
import type { Client } from './locomo-ingest.ts';
import type { Stage } from './stage.ts';

/** The turns that a memory rests on. */
export type EvidenceOf = (memory: Memory) => readonly string[];

type Noted = Readonly<{ content: string; evidence: readonly string[]; valid_from: string }>;

const PER_BATCH = 500;

/**
 * Stores the published observations through `POST /v1/memories/batch`, with `turns` each turn as a note beside them,
 * and waits for their vectors. What a memory rests on is kept here, as a client cannot say where a memory comes from.
 */
export async function storeByBatch(
  stage: Stage,
  client: Client,
  conversations: readonly LocomoConversation[],
  withTurns: boolean,
): Promise<EvidenceOf> {
  const evidence = new Map<string, readonly string[]>();
  for (const { name, sessions } of conversations) {
    const notes = sessions.flatMap((session) => toNotes(session, withTurns));
    for (let from = 0; from < notes.length; from += PER_BATCH) {
      const batch = notes.slice(from, from + PER_BATCH);
      const { results } = await callJson<{ results: { id: string | null }[] }>(
        `${client.url}/v1/memories/batch`,
        client.headers,
        { user_id: name, memories: batch.map(({ content, valid_from }) => ({ content, valid_from })) },
      );
      for (const [index, { id }] of results.entries()) {
        if (id === null) throw new Error(`a memory of ${name} was not stored`);
        evidence.set(id, [...(evidence.get(id) ?? []), ...(batch[index]?.evidence ?? [])]);
      }
    }
  }
  await waitFor(async () => (await countWithoutVector(stage)) === 0, {
    timeoutMs: 600_000,
    intervalMs: 250,
    describe: 'the vectors of all memories',
  });
  return ({ id }) => evidence.get(id) ?? [];
}

function toNotes({ date_time: dateTime, observations, turns }: LocomoSession, withTurns: boolean): Noted[] {
  const validFrom = parseDateTime(dateTime).toISOString();
  return [
    ...observations.map(({ text, evidence }) => ({ content: text, evidence, valid_from: validFrom })),
    ...(withTurns
      ? turns.map(({ id, speaker, text }) => ({
          content: `${speaker}: ${text}`,
          evidence: [id],
          valid_from: validFrom,
        }))
      : []),
  ];
}

async function countWithoutVector(stage: Stage): Promise<number> {
  const { rows } = await stage.database.query<{ count: number }>(
    'select count(*)::integer as count from memories where embedding_pending_since is not null',
  );
  return rows[0]?.count ?? 0;
}
