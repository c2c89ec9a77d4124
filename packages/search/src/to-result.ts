import type { ResultExplanation, SearchRequest, SearchResult } from '@factmill/contracts';
import { type MemoryRow, toMemory } from '@factmill/database';
import { estimateTokens } from '@factmill/extraction';
import type { ScoredCandidate } from './relevance.ts';
import type { SearchSettings } from './settings.ts';

/** A candidate on its way through the stages. `score` is the total so far. */
export type Entry = Readonly<{
  id: string;
  content: string;
  relevant: ScoredCandidate;
  score: number;
  relevance: number;
  reranked?: number;
  recency?: number;
  mmr?: number;
  duplicateIds: readonly string[];
  /** Only fills the results up. */
  belowCutoff?: true;
}>;

/** A result in the form of the API, explained when the request asks for it. */
export function toResult(
  entry: Entry,
  memory: MemoryRow,
  request: SearchRequest,
  settings: SearchSettings,
): SearchResult {
  const { turn, similarity } = entry.relevant.candidate;
  const channels = entry.relevant.channels();
  const keys = channels.flatMap(({ channel }) =>
    channel === 'wording' || channel === 'exact' ? [] : [channel],
  );
  return {
    memory: toMemory(memory),
    score: entry.score,
    ...(similarity === undefined ? {} : { similarity }),
    channels: keys,
    ...(turn === null
      ? {}
      : {
          turn: { conversation_id: turn.conversationId, message_id: turn.messageId, role: turn.role },
          ...(turn.pending ? { pending: true as const } : {}),
        }),
    ...(entry.belowCutoff === undefined ? {} : { below_cutoff: true as const }),
    ...(entry.duplicateIds.length === 0 ? {} : { duplicate_ids: [...entry.duplicateIds] }),
    ...(request.explain ? { explain: explanationOf(entry, channels, settings) } : {}),
  };
}

function explanationOf(
  entry: Entry,
  channels: ResultExplanation['channels'],
  settings: SearchSettings,
): ResultExplanation {
  return {
    channels,
    relevance: entry.relevant.relevance,
    ...(entry.reranked === undefined ? {} : { reranked: entry.reranked }),
    ...(entry.recency === undefined ? {} : { recency: entry.recency }),
    total: entry.score,
    ...(entry.mmr === undefined ? {} : { mmr: entry.mmr }),
    ...(settings.tokenBudget === null ? {} : { tokens: estimateTokens(entry.content) }),
  };
}
