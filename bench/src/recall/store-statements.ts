import { MAX_MEMORY_LENGTH, type Memory } from '@factmill/contracts';
import { waitFor } from '@factmill/testkit';
import { callJson } from '../call-json.ts';
import type { Stage } from '../stage.ts';
import type { Conversation, Session } from './conversations.ts';
import type { Client } from './ingest.ts';

/** The source turns of a memory. */
export type EvidenceOf = (memory: Memory) => readonly string[];

/** The stored texts of a session. */
export type Statements = Readonly<{ observations: boolean; turns: boolean }>;

type Statement = Readonly<{ content: string; evidence: readonly string[]; valid_from: string }>;

const PER_BATCH = 500;

/**
 * Stores the published observations and the turns, each as a memory, through `POST /v1/memories/batch`, and waits for
 * their vectors. The sources are kept here, because a client cannot set them.
 */
export async function storeStatements(
  stage: Stage,
  client: Client,
  conversations: readonly Conversation[],
  stored: Statements,
): Promise<EvidenceOf> {
  const evidence = new Map<string, readonly string[]>();
  for (const { name, sessions, between, isStatements } of conversations) {
    const withSpeaker = between === 'people' && !isStatements;
    const statements = sessions.flatMap((session) => toStatements(session, stored, withSpeaker));
    for (let from = 0; from < statements.length; from += PER_BATCH) {
      const batch = statements.slice(from, from + PER_BATCH);
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

function toStatements(
  { startsAt, observations, turns }: Session,
  stored: Statements,
  withSpeaker: boolean,
): Statement[] {
  const validFrom = startsAt.toISOString();
  return [
    ...(stored.observations ? observations : []).map(({ text, evidence }) => ({
      content: text,
      evidence,
      valid_from: validFrom,
    })),
    ...(stored.turns ? turns : []).map(({ id, speaker, text }) => ({
      content: (withSpeaker ? `${speaker}: ${text}` : text).slice(0, MAX_MEMORY_LENGTH),
      evidence: [id],
      valid_from: validFrom,
    })),
  ];
}

async function countWithoutVector(stage: Stage): Promise<number> {
  const { rows } = await stage.database.query<{ count: number }>(
    'select count(*)::integer as count from memories where embedding_pending_since is not null',
  );
  return rows[0]?.count ?? 0;
}
