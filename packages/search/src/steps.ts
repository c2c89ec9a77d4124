import type { SearchMode, SearchRequest } from '@factmill/contracts';
import type { Reranker } from './rank.ts';
import { type SearchSettings, settingsOf } from './settings.ts';

/** What answers when a mode cannot. */
export const FALLBACKS: Readonly<Record<SearchMode, readonly ('classic' | 'recent')[]>> = {
  fused: ['recent'],
  enhanced: ['classic', 'recent'],
  classic: ['recent'],
  vector: ['recent'],
};

/** The settings of a mode; of what a mode falls back to, those that the request set for it apply still. */
export function settingsOfStep(
  request: SearchRequest,
  step: SearchMode | 'recent',
  asked: SearchMode,
  searchesTurns: boolean,
): SearchSettings {
  const settings = settingsOf(request, asked);
  if (step === asked)
    return searchesTurns && mayAddTurns(request, asked) ? { ...settings, turns: true } : settings;
  const { channels: _, ...rest } = request;
  const classic = settingsOf({ ...rest, limit: settings.limit }, 'classic');
  return step === 'classic' ? classic : { ...classic, channels: new Set(['recent']), rerank: false };
}

/** In the enhanced mode a reranker judges all candidates: none is cut by its similarity before (source E). */
export function withoutCut(settings: SearchSettings, reranker: Reranker | null): SearchSettings {
  const isJudged = settings.mode === 'enhanced' && settings.rerank && reranker !== null;
  return isJudged ? { ...settings, minSimilarity: settings.minSimilarity ?? -1 } : settings;
}

/** A search that says which memories it is for, or how to find them, is for memories. */
function mayAddTurns(request: SearchRequest, mode: SearchMode): boolean {
  const { channels, filters, include_turns: includeTurns } = request;
  const isOpen = filters?.kinds === undefined && filters?.categories === undefined;
  return (
    includeTurns === undefined && mode === 'fused' && channels === undefined && isOpen && !request.all_users
  );
}
