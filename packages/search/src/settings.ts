import { GLOBAL_SCOPE, type SearchMode, type SearchRequest, type SearchChannel } from '@factmill/contracts';
import type { SearchScope } from './target.ts';

/** What a search does, once its request and the defaults of its mode are put together. */
export type SearchSettings = Readonly<{
  mode: SearchMode;
  limit: number;
  channels: ReadonlySet<SearchChannel>;
  /** How many each channel brings, from each scope. */
  candidates: number;
  scopes: readonly (SearchScope | undefined)[];
  /** Undefined: the embedding model's own. */
  minSimilarity: number | undefined;
  rerank: boolean;
  minRelevance: number;
  recencyWeight: number;
  /** `category`: by the half-life of a memory's category (C6); `month`: source E's exp(-days / 30). */
  recency: 'category' | 'month';
  mmrLambda: number;
  collapse: boolean;
  tokenBudget: number | null;
  /** Whether stored turns compete with memories. */
  turns: boolean;
  /** Whether what is below the cutoff fills the results up to the limit. */
  fill: boolean;
}>;

type ModeDefaults = Readonly<{
  limit: number;
  channels: readonly SearchChannel[];
  /** At least so many candidates of each channel; three times the limit when that is more (E4). */
  minCandidates: number;
  minRelevance: number;
  recencyWeight: number;
  recency: SearchSettings['recency'];
  mmrLambda: number;
  collapse: boolean;
  /** Whether a configured reranker is used without being asked for. */
  rerank: boolean;
}>;

const PLAIN = {
  minRelevance: 0,
  recencyWeight: 0,
  recency: 'category',
  mmrLambda: 1,
  rerank: false,
} as const;

const DEFAULTS: Readonly<Record<SearchMode, ModeDefaults>> = {
  /** Our best: all channels fused by rank (ADR 13). A new memory gains what two ranks are worth. */
  fused: {
    ...PLAIN,
    limit: 15,
    channels: ['vector', 'text', 'trigram', 'key', 'project', 'date'],
    minCandidates: 45,
    recencyWeight: 0.1,
    collapse: true,
    rerank: true,
  },
  /** Source E (E5) and the enhanced mode of source C (C11). */
  enhanced: {
    limit: 15,
    channels: ['vector'],
    minCandidates: 0,
    minRelevance: 0.35,
    recencyWeight: 0.2,
    recency: 'month',
    mmrLambda: 0.7,
    collapse: true,
    rerank: true,
  },
  /** Source C (C9). */
  classic: {
    ...PLAIN,
    limit: 5,
    channels: ['text', 'trigram', 'project'],
    minCandidates: 30,
    collapse: true,
  },
  /** Source D (D7). */
  vector: { ...PLAIN, limit: 15, channels: ['vector', 'trigram'], minCandidates: 0, collapse: false },
};

/** Of each scope this many times the limit (E4). */
const CANDIDATES_PER_RESULT = 3;

export function settingsOf(request: SearchRequest, mode: SearchMode): SearchSettings {
  const defaults = DEFAULTS[mode];
  const limit = request.limit ?? defaults.limit;
  const settings = {
    mode,
    limit,
    channels: new Set(request.channels ?? defaults.channels),
    scopes: request.scopes === undefined ? [undefined] : [...new Set(request.scopes)].map(toScope),
    minSimilarity: request.min_similarity,
    rerank: request.rerank ?? defaults.rerank,
    minRelevance: request.min_relevance ?? defaults.minRelevance,
    recencyWeight: request.recency_weight ?? defaults.recencyWeight,
    recency: defaults.recency,
    mmrLambda: request.mmr_lambda ?? defaults.mmrLambda,
    collapse: request.collapse ?? defaults.collapse,
    tokenBudget: request.token_budget ?? null,
    turns: request.include_turns ?? false,
    fill: request.fill,
  };
  return { ...settings, candidates: candidatesOf(settings, defaults.minCandidates) };
}

/** As many as there are to be results where no stage changes their order or leaves any out. */
function candidatesOf(settings: Omit<SearchSettings, 'candidates'>, least: number): number {
  const { mode, limit, rerank, recencyWeight, mmrLambda, collapse, tokenBudget } = settings;
  const asFound = !rerank && recencyWeight === 0 && mmrLambda === 1 && !collapse && tokenBudget === null;
  return mode === 'vector' && asFound ? limit : Math.max(least, CANDIDATES_PER_RESULT * limit);
}

function toScope(scope: string): SearchScope {
  return scope === GLOBAL_SCOPE ? 'global' : { conversationId: scope };
}
