import type {
  AnsweredMode,
  SearchMode,
  SearchRequest,
  SearchResponse,
  SearchResult,
} from '@factmill/contracts';
import { type ChatTurn, isConnectTimeout, type Sql, whileWanted } from '@factmill/database';
import { AppError, isAppError } from '@factmill/errors';
import { createDuration, type Logger, withSpan } from '@factmill/telemetry';
import { isAsNow, toPresent } from './as-of-now.ts';
import type { EmbedQuery } from './embedded-query.ts';
import { createGenerateCandidates, type Generated } from './generate-candidates.ts';
import { createRank, type Reranker } from './rank.ts';
import type { ResidentIndexes } from './resident/resident-indexes.ts';
import type { SearchSettings } from './settings.ts';
import { FALLBACKS, settingsOfStep, withoutCut } from './steps.ts';
import type { SearchTarget } from './target.ts';

type SearchFor = Readonly<{
  tenantId: string;
  /** Null searches all users; the caller has checked the permission. */
  userId: string | null;
  request: SearchRequest;
  /** Leaves out what is kept for other conversations than this; empty: for any. */
  visibleToConversation?: string;
  /** Leaves out what rests on this turn alone. */
  besidesTurn?: ChatTurn | undefined;
  /** Whether its caller has gone, so that nobody reads the answer. */
  isAbandoned?: () => boolean;
}>;

type Found = Readonly<{
  results: SearchResult[];
  mode: AnsweredMode;
  /** What was left out, in words of the contract. */
  degraded: readonly string[];
  /** Why there was no vector channel, or null. */
  embeddingUnavailable: string | null;
  /** What the relevance of the results is; undefined when nothing could be searched. */
  relevance: SearchResponse['relevance'];
  /** How many each channel found, before they were put together. */
  candidates: Readonly<Record<string, number>>;
  explain: SearchResponse['explain'];
}>;

export type Search = (search: SearchFor) => Promise<Found>;

/** One mode of a search, for one target. */
type Attempt = Readonly<{
  target: Omit<SearchTarget, 'scope'>;
  /** The moment of which the query speaks. */
  at: Date;
  settings: SearchSettings;
  degraded: Set<string>;
  database: Sql;
}>;

export type SearchDeps = Readonly<{
  database: Sql;
  /** Where the next search reads; default: always `database`. */
  pickDatabase?: () => Promise<Sql>;
  embedQuery: EmbedQuery;
  residents?: ResidentIndexes;
  reranker: Reranker | null;
  /** Of searches that name none. */
  defaultMode: SearchMode;
  /** Whether stored turns compete with memories where a fused search for what one user has does not say. */
  searchesTurns?: boolean;
  recordAccesses: (tenantId: string, memoryIds: readonly string[]) => void;
  logger: Logger;
  now: () => Date;
}>;

/** As long as a gateway waits for an answer. */
const GIVEN_UP_AFTER_MS = 15_000;

/**
 * Searches a user's memories. Fails open: a channel or a reranker that does not answer is left out, a mode that has
 * nothing left hands over to the next (enhanced, classic, recent, nothing), and the answer says so. Of a search whose
 * caller has gone, or that has taken as long as a gateway waits, no further statement is sent.
 *
 * @throws AppError `database_unavailable` when the database cannot be asked at all, `retrieval_unavailable` when the
 *   search was given up
 */
export function createSearch(deps: SearchDeps): Search {
  const { logger } = deps;
  const recordDuration = createDuration(
    'factmill_search_duration_seconds',
    'Time of one search, by the mode that answered, whether something was left out, and whether it was vectors',
  );

  return (search) =>
    withSpan('search', {}, async (span) => {
      const startedAt = performance.now();
      const found = await answer(search);
      if (search.request.as_of === undefined) {
        deps.recordAccesses(
          search.tenantId,
          found.results
            .filter((result) => result.turn === undefined && result.below_cutoff === undefined)
            .map(({ memory }) => memory.id),
        );
      }
      span.setAttributes({
        'factmill.mode': found.mode,
        'factmill.results': found.results.length,
        'factmill.degraded': found.degraded.length > 0,
      });
      recordDuration(performance.now() - startedAt, {
        mode: found.mode,
        degraded: found.degraded.length > 0,
        vector: found.embeddingUnavailable === null,
      });
      return found;
    });

  async function answer(search: SearchFor): Promise<Found> {
    const { request } = search;
    const asked = request.mode ?? deps.defaultMode;
    const degraded = new Set<string>();
    const assertWanted = wantedUntil(performance.now() + GIVEN_UP_AFTER_MS, search.isAbandoned);
    const picked = deps.pickDatabase === undefined ? deps.database : await deps.pickDatabase();
    const database = whileWanted(picked, assertWanted);
    let failure: unknown = null;
    let embeddingUnavailable: string | null = null;
    for (const step of [asked, ...FALLBACKS[asked]]) {
      const settings = withoutCut(
        settingsOfStep(request, step, asked, deps.searchesTurns ?? false),
        deps.reranker,
      );
      const attempt = await trySearch(search, settings, degraded, database);
      if (attempt.found === null || attempt.failure !== null) assertWanted();
      embeddingUnavailable ??= unavailabilityOf(attempt.generated);
      failure = attempt.failure ?? failure;
      if (attempt.found !== null) {
        return { ...attempt.found, mode: step, degraded: [...degraded], embeddingUnavailable };
      }
      // The next mode would wait for a connection as long, and get none either.
      if (isConnectTimeout(attempt.failure)) break;
    }
    if (isAppError(failure) && failure.kind === 'unavailable') throw failure;
    return {
      results: [],
      mode: 'none',
      degraded: [...degraded],
      embeddingUnavailable,
      relevance: undefined,
      candidates: {},
      explain: undefined,
    };
  }

  /** Runs one mode. `found` is null when it has nothing to answer with, so that the next one is to try. */
  async function trySearch(
    search: SearchFor,
    settings: SearchSettings,
    degraded: Set<string>,
    database: Sql,
  ) {
    const now = deps.now();
    const target = targetOf(search, now);
    const at = target.asOf?.validAt ?? now;
    const present = toPresent(target);
    const isSame = () => isAsNow(database, target).catch(() => false);
    if (present !== null && (await isSame())) {
      const notes = new Set<string>();
      const attempt = await tryTarget(search, { target: present, at, settings, degraded: notes, database });
      // Looked at again afterwards: nothing was written while the search went on.
      if (await isSame()) {
        for (const note of notes) degraded.add(note);
        return attempt;
      }
    }
    return tryTarget(search, { target, at, settings, degraded, database });
  }

  async function tryTarget({ request }: SearchFor, { target, at, settings, degraded, database }: Attempt) {
    const generate = createGenerateCandidates({ ...deps, database });
    const rank = createRank({ ...deps, database });
    const startedAt = performance.now();
    const generated = await generate(target, request, settings, at);
    const generatedMs = performance.now() - startedAt;
    if (unavailabilityOf(generated) !== null) degraded.add('embedding_unavailable');
    if (isIncomplete(generated)) degraded.add('embedding_incomplete');
    for (const [channel, error] of generated.failed) {
      degraded.add(`${channel}_unavailable`);
      logger.warn({ channel, code: isAppError(error) ? error.code : 'internal' }, 'a search channel failed');
    }
    const failure = generated.failed.values().next().value ?? null;
    const answering = answeringChannels(generated, settings);
    if (answering === 0) return { found: null, failure, generated };

    const ranked = await rank(target, generated, request, settings, at.getTime()).catch((error: unknown) => {
      logger.warn({ code: isAppError(error) ? error.code : 'internal' }, 'results could not be read');
      return { error };
    });
    if ('error' in ranked) return { found: null, failure: ranked.error, generated };
    if (ranked.isCut) degraded.add('results_too_large');
    const wantsReranker = request.rerank === true && deps.reranker === null;
    if (wantsReranker || ranked.rerankFailure !== null) degraded.add('rerank_unavailable');
    if (ranked.rerankFailure !== null) {
      const code = isAppError(ranked.rerankFailure) ? ranked.rerankFailure.code : 'internal';
      logger.warn({ code }, 'reranking failed');
    }
    if ((request.min_relevance ?? 0) > ranked.relevance.threshold) degraded.add('min_relevance_ignored');
    const candidates = Object.fromEntries(generated.found.map(({ channel, hits }) => [channel, hits.length]));
    const totalMs = performance.now() - startedAt;
    const timings = {
      embed: generated.embedMs,
      channels: generatedMs,
      rerank: ranked.rerankMs,
      rank: totalMs - generatedMs - ranked.rerankMs,
      total: totalMs,
    };
    return {
      failure,
      generated,
      found: {
        results: ranked.results,
        relevance: ranked.relevance,
        candidates,
        explain: request.explain
          ? {
              terms: [...generated.terms],
              candidates,
              considered: ranked.considered,
              dropped: ranked.dropped,
              timings_ms: Object.fromEntries(
                Object.entries(timings).map(([name, ms]) => [name, Math.round(ms * 100) / 100]),
              ),
            }
          : undefined,
      },
    };
  }
}

function wantedUntil(deadline: number, isAbandoned: () => boolean = () => false): () => void {
  return () => {
    if (performance.now() > deadline || isAbandoned()) {
      throw new AppError(
        'retrieval_unavailable',
        'The search was given up because it took too long or its caller has gone; try again.',
      );
    }
  };
}

/** How many channels could be asked, whether or not they found something. */
function answeringChannels({ failed, embedded, named }: Generated, { channels }: SearchSettings): number {
  return [...channels].filter(
    (channel) =>
      channel !== 'key' &&
      // Substrings are asked for beside the words.
      !(channel === 'trigram' && channels.has('text')) &&
      channel !== 'project' &&
      !(channel === 'date' && named.periods.length === 0) &&
      !failed.has(channel) &&
      !(channel === 'vector' && (embedded === null || 'unavailable' in embedded)),
  ).length;
}

function isIncomplete({ embedded }: Generated): boolean {
  return embedded !== null && 'isComplete' in embedded && !embedded.isComplete;
}

function unavailabilityOf({ embedded }: Generated): string | null {
  return embedded !== null && 'unavailable' in embedded ? embedded.unavailable : null;
}

function targetOf(
  { tenantId, userId, request, visibleToConversation, besidesTurn }: SearchFor,
  now: Date,
): Omit<SearchTarget, 'scope'> {
  const target = { tenantId, userId, filters: request.filters ?? {}, visibleToConversation, besidesTurn };
  const { as_of: asOf } = request;
  if (asOf === undefined) return target;
  if (typeof asOf === 'string') {
    const moment = new Date(asOf);
    return { ...target, asOf: { validAt: moment, knownAt: moment } };
  }
  const at = (moment: string | undefined) => (moment === undefined ? now : new Date(moment));
  return { ...target, asOf: { validAt: at(asOf.valid_at), knownAt: at(asOf.known_at) } };
}
