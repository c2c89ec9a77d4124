import type { Considered, SearchRequest, SearchResponse, SearchResult } from '@factmill/contracts';
import type { MemoryRow, Sql } from '@factmill/database';
import { estimateTokens } from '@factmill/extraction';
import {
  blendRecency,
  categoryDecay,
  deduplicate,
  compareText,
  recencyOf,
  type ScoreScale,
  selectDiverse,
  toRelevances,
  withinTokenBudget,
} from '@factmill/ranking';
import { withSpan } from '@factmill/telemetry';
import { toCandidates } from './candidate.ts';
import { toConsidered } from './considered.ts';
import type { SearchOwner } from './embedded-query.ts';
import { type Filler, fillUp } from './fillers.ts';
import type { Generated } from './generate-candidates.ts';
import { hydrate } from './hydrate.ts';
import { scoreCandidates, type ScoredCandidate } from './relevance.ts';
import type { SearchSettings } from './settings.ts';
import { loadSimilarities, type Similarities } from './similarities.ts';
import type { SearchTarget } from './target.ts';
import { type Entry, toResult } from './to-result.ts';

/** A cross-encoder. */
export type Reranker = Readonly<{
  /** How many documents it takes at most. */
  topN: number;
  scale: ScoreScale;
  /** The score of each document for the query, in the order of the documents. */
  rerank: (query: string, documents: readonly string[], of: SearchOwner) => Promise<number[]>;
}>;

export type RankDeps = Readonly<{
  database: Sql;
  reranker: Reranker | null;
}>;

export type Ranked = Readonly<{
  results: SearchResult[];
  /** How many each stage left out. */
  dropped: Record<string, number>;
  /** What has become of each candidate; empty unless the request asks for it. */
  considered: Considered[];
  /** Results did not fit into an answer. */
  isCut: boolean;
  /** Why reranking was wanted and did not happen; null otherwise. */
  rerankFailure: unknown;
  rerankMs: number;
  /** What relevance is, and what it was held against. */
  relevance: NonNullable<SearchResponse['relevance']>;
}>;

/** Diversity compares all pairs, so it looks at so many of the best only. */
const MAX_COMPARED = 100;

/**
 * From candidates to results: relevance, reranking, threshold, recency, collapsing of duplicates, diversity, filling
 * up, token budget, limit. A reranker that does not answer is left out; so are vectors that cannot be read.
 */
export function createRank({ database, reranker }: RankDeps) {
  return async (
    target: Omit<SearchTarget, 'scope'>,
    generated: Generated,
    request: SearchRequest,
    settings: SearchSettings,
    nowMs: number,
  ): Promise<Ranked> => {
    const scored = scoreCandidates({
      query: request.query,
      terms: generated.terms,
      named: generated.named,
      found: generated.found,
      candidates: toCandidates(generated.found),
      settings,
      nowMs,
    });
    const dropped: Record<string, number> = {};
    const reranking = await rerank(scored, request.query, settings, target);
    const threshold = thresholdOf(request, settings, generated, reranking.done);
    const isRelevant = ({ reranked, relevant }: Entry) => {
      const relevance = reranking.done ? reranked : relevant.candidate.similarity;
      return threshold === 0 || (relevance ?? 0) >= threshold;
    };
    const ranked = reranking.entries.map((entry) => blend(entry, settings, nowMs));
    if (settings.recencyWeight > 0 || reranking.done) {
      ranked.sort((a, b) => b.score - a.score || compareText(a.id, b.id));
    }
    const isWeak = isBelowCutoff(generated, settings);
    const irrelevant = ranked.filter((entry) => !isRelevant(entry));
    if (irrelevant.length > 0) dropped['relevance'] = irrelevant.length;
    const entries = ranked.filter((entry) => isRelevant(entry) && !isWeak(entry));
    const { selected, duplicateOf } = await select(target.tenantId, entries, generated, settings, dropped);
    const weak = ranked.filter((entry) => isRelevant(entry) && isWeak(entry));
    const others = settings.fill ? [...weak, ...irrelevant, ...generated.fillers.map(toFillerEntry)] : weak;
    const filled = fillUp(selected, others.map(toBelowCutoff), settings);
    const affordable = withinTokenBudget(filled, settings.tokenBudget, ({ content }) =>
      estimateTokens(content),
    );
    if (affordable.length < filled.length) dropped['token_budget'] = filled.length - affordable.length;
    const chosen = affordable.slice(0, settings.limit);
    const { memories, isCut } = await loadWhole(target, chosen);
    return {
      results: chosen.flatMap((entry) => {
        const memory = memories.get(entry.id);
        // Purged since the channels were asked.
        return memory === undefined ? [] : [toResult(entry, memory, request, settings)];
      }),
      dropped,
      considered: request.explain
        ? toConsidered({ ranked, isRelevant, isWeak, duplicateOf, filled, affordable, chosen })
        : [],
      isCut,
      rerankFailure: reranking.failure,
      rerankMs: reranking.ms,
      relevance: {
        by: reranking.done ? 'reranker' : hasSimilarities(generated) ? 'cosine' : 'none',
        threshold,
        ...(settings.minRelevance > threshold ? { not_applied: settings.minRelevance } : {}),
      },
    };
  };

  /** Candidates are ranked by a few columns; the others are read of the results only. */
  async function loadWhole(
    target: Omit<SearchTarget, 'scope'>,
    chosen: readonly Entry[],
  ): Promise<Readonly<{ memories: ReadonlyMap<string, MemoryRow>; isCut: boolean }>> {
    const turns = chosen.flatMap(({ relevant: { candidate } }) => candidate.turn?.memory ?? []);
    const ids = chosen.filter(({ relevant }) => relevant.candidate.turn === null).map(({ id }) => id);
    const { rows, isCut } = await withSpan('load results', {}, () => hydrate(database, target, ids));
    return { memories: new Map([...turns, ...rows].map((row) => [row.id, row])), isCut };
  }

  /** The best candidates with the reranker's relevance, first; the others keep their order behind them. */
  async function rerank(
    scored: readonly ScoredCandidate[],
    query: string,
    settings: SearchSettings,
    of: SearchOwner,
  ) {
    const entries = scored.map(toEntry);
    const nothing = { entries, done: false, failure: null as unknown, ms: 0 };
    if (!settings.rerank || reranker === null || entries.length === 0) return nothing;
    const startedAt = performance.now();
    const best = entries.slice(0, Math.max(reranker.topN, settings.limit));
    try {
      const scores = await withSpan('rerank', {}, () =>
        reranker.rerank(
          query,
          best.map(({ content }) => content),
          of,
        ),
      );
      const relevances = toRelevances(scores, reranker.scale);
      const lowest = Math.min(...relevances);
      const reranked = entries.map((entry, index) => {
        const relevance = relevances[index];
        return relevance === undefined
          ? { ...entry, relevance: entry.relevance * lowest }
          : { ...entry, relevance, reranked: relevance };
      });
      return { entries: reranked, done: true, failure: null, ms: performance.now() - startedAt };
    } catch (failure) {
      return { ...nothing, failure, ms: performance.now() - startedAt };
    }
  }

  /** Without duplicates, and no more alike than wanted. Enough for the limit after the token budget. */
  async function select(
    tenantId: string,
    entries: readonly Entry[],
    { embedded }: Generated,
    settings: SearchSettings,
    dropped: Record<string, number>,
  ): Promise<Readonly<{ selected: Entry[]; duplicateOf: ReadonlyMap<string, string> }>> {
    const duplicateOf = new Map<string, string>();
    const diverse = settings.mmrLambda < 1;
    const compared = diverse ? entries.slice(0, Math.max(MAX_COMPARED, settings.limit)) : entries;
    const profile = embedded !== null && 'profile' in embedded ? embedded.profile : null;
    const similarities =
      diverse && profile !== null ? await loadPairs({ tenantId, model: profile.id }, compared) : null;
    let left: Entry[] = [...compared];
    if (settings.collapse) {
      const similarity =
        similarities === null || profile === null
          ? null
          : { of: similarities, duplicateSimilarity: profile.duplicateSimilarity };
      left = deduplicate(compared, similarity).map(({ candidate, duplicateIds }) => {
        for (const id of duplicateIds) duplicateOf.set(id, candidate.id);
        return { ...candidate, duplicateIds };
      });
      if (left.length < compared.length) dropped['duplicates'] = compared.length - left.length;
    }
    if (similarities === null) return { selected: left, duplicateOf };
    const limit = settings.tokenBudget === null ? settings.limit : left.length;
    const selected = selectDiverse(left, { lambda: settings.mmrLambda, limit, similarityOf: similarities });
    return { selected, duplicateOf };
  }

  async function loadPairs(
    of: Readonly<{ tenantId: string; model: string }>,
    entries: readonly Entry[],
  ): Promise<Similarities | null> {
    const vectors = entries.flatMap(({ id, relevant: { candidate } }) => {
      const vectorId = candidate.turn === null ? id : candidate.turn.partId;
      return vectorId === null ? [] : [{ id, vectorId }];
    });
    try {
      return await withSpan('compare candidates', {}, () => loadSimilarities(database, of, vectors));
    } catch {
      // The order without diversity is the better answer than none.
      return null;
    }
  }
}

/**
 * What relevance has to reach; 0 for anything. A mode's own threshold is that of a reranker. One that the request names
 * holds without a reranker too: relevance is then the cosine similarity, and what only its words have found has none.
 */
function thresholdOf(
  request: SearchRequest,
  settings: SearchSettings,
  generated: Generated,
  isReranked: boolean,
): number {
  if (isReranked) return settings.minRelevance;
  return hasSimilarities(generated) ? (request.min_relevance ?? 0) : 0;
}

function hasSimilarities({ embedded }: Generated): boolean {
  return embedded !== null && !('unavailable' in embedded);
}

/** Whether a candidate was found by its vector only, and that is less similar than the cutoff. */
function isBelowCutoff(
  { embedded }: Generated,
  { minSimilarity }: SearchSettings,
): (entry: Entry) => boolean {
  const cutoff =
    minSimilarity ?? (embedded !== null && 'profile' in embedded ? embedded.profile.minSimilarity : -1);
  return ({ relevant }) => {
    const { values } = relevant.candidate;
    return values.size === 1 && (values.get('vector') ?? 1) < cutoff;
  };
}

function toFillerEntry({ row, similarity }: Filler): Entry {
  const values = new Map(similarity === null ? [] : [['vector' as const, similarity]]);
  const candidate = { id: row.id, row, turn: null, values, similarity: similarity ?? undefined };
  return toEntry({ candidate, relevance: 0, channels: () => [] });
}

function toBelowCutoff(entry: Entry): Entry {
  return { ...entry, score: 0, belowCutoff: true };
}

function toEntry(relevant: ScoredCandidate): Entry {
  const { candidate, relevance } = relevant;
  return {
    id: candidate.id,
    content: candidate.row.content,
    relevant,
    relevance,
    score: relevance,
    duplicateIds: [],
  };
}

function blend(entry: Entry, settings: SearchSettings, nowMs: number): Entry {
  const { recencyWeight } = settings;
  if (recencyWeight === 0) return { ...entry, score: entry.relevance };
  const { row } = entry.relevant.candidate;
  const ageMs = nowMs - row.statedAt.getTime();
  const recency =
    settings.recency === 'month' ? recencyOf(ageMs) : categoryDecay({ category: row.category, ageMs });
  return { ...entry, recency, score: blendRecency(entry.relevance, recency, recencyWeight) };
}
