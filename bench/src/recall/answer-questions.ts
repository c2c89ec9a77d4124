import type { SearchResponse } from '@factmill/contracts';
import { callJson } from '../call-json.ts';
import type { Conversation } from './conversations.ts';
import { type Client, listMemories } from './ingest.ts';
import { type Answered, LIMIT, rateAnswer } from './recall.ts';
import type { EvidenceOf } from './store-statements.ts';

/** The sources of a memory, as the system reports them. */
export const byProvenance: EvidenceOf = ({ provenance }) => provenance.message_ids;

/**
 * Searches every question of a conversation, one after the other.
 *
 * @throws Error when a search was degraded: it would not measure the system
 */
export async function answerQuestions(
  client: Client,
  conversation: Conversation,
  evidenceOf: EvidenceOf,
  options: Readonly<Record<string, unknown>>,
): Promise<{ answered: Answered[]; memories: number }> {
  const memories = await listMemories(client, conversation.name);
  const everything = new Set(memories.flatMap(evidenceOf));
  const answered: Answered[] = [];
  for (const question of conversation.questions) {
    const startedAt = performance.now();
    const found = await callJson<SearchResponse>(`${client.url}/v1/memories/search`, client.headers, {
      user_id: conversation.name,
      query: question.question,
      limit: LIMIT,
      ...options,
    });
    const searchMs = performance.now() - startedAt;
    if (found.degraded !== undefined) throw new Error(`a search went without ${found.degraded}`);
    const ranked = found.results.map(({ memory }) => evidenceOf(memory));
    answered.push(rateAnswer(conversation, question, ranked, everything, searchMs));
  }
  return { answered, memories: memories.length };
}
