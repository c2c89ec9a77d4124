import type { Memory, SearchResponse } from '@factmill/contracts';
import { callJson } from './call-json.ts';
import { type LocomoConversation, questionsOf } from './locomo-data.ts';
import type { EvidenceOf } from './locomo-batch.ts';
import { type Client, listMemories } from './locomo-ingest.ts';

export const CUTS = [5, 10, 20] as const;
const LIMIT = Math.max(...CUTS);

/** What the search for one question brought: shares of its evidence, 0 to 1. */
export type Answered = Readonly<{
  conversation: string;
  category: number;
  /** By the first 5, 10 and 20 results. */
  recall: readonly number[];
  /** By all memories of the user: no search can find more. */
  stored: number;
  searchMs: number;
}>;

/** What the system itself says a memory comes from. */
export const byProvenance: EvidenceOf = ({ provenance }) => provenance.message_ids;

/** Searches every question of a conversation, one after the other. */
export async function answerQuestions(
  client: Client,
  conversation: LocomoConversation,
  evidenceOf: EvidenceOf,
): Promise<{ answered: Answered[]; memories: number }> {
  const userId = conversation.name;
  const memories = await listMemories(client, userId);
  const answered: Answered[] = [];
  for (const { question, category, evidence } of questionsOf(conversation)) {
    const startedAt = performance.now();
    const found = await callJson<SearchResponse>(`${client.url}/v1/memories/search`, client.headers, {
      user_id: userId,
      query: question,
      limit: LIMIT,
    });
    const searchMs = performance.now() - startedAt;
    if (found.degraded !== undefined) throw new Error(`a search went without ${found.degraded}`);
    const results = found.results.map((result) => result.memory);
    answered.push({
      conversation: userId,
      category,
      recall: CUTS.map((cut) => recallOf(evidence, results.slice(0, cut), evidenceOf)),
      stored: recallOf(evidence, memories, evidenceOf),
      searchMs,
    });
  }
  return { answered, memories: memories.length };
}

/** Share of the evidence turns that the memories come from. */
function recallOf(evidence: readonly string[], memories: readonly Memory[], evidenceOf: EvidenceOf): number {
  const covered = new Set(memories.flatMap(evidenceOf));
  const wanted = [...new Set(evidence)];
  return wanted.filter((turn) => covered.has(turn)).length / wanted.length;
}
