import {
  contentText,
  type ContextRequest,
  GLOBAL_SCOPE,
  type Memory,
  type SearchFilters,
  type SearchRequest,
  searchRequestSchema,
} from '@factmill/contracts';
import { type DatabasePool, findSummary, listProfile, toMemory } from '@factmill/database';
import { expandQuery, shouldRetrieve } from '@factmill/ranking';
import { type Search, searchRecent } from '@factmill/search';
import { messageOf } from './message-of.ts';

/** What is remembered that a message could need. */
export type Recollection = Readonly<{
  profile: readonly Memory[];
  /** Most relevant first. */
  found: readonly Readonly<{ memory: Memory; score: number; role: string }>[];
  userSummary: string | null;
  conversationSummary: string | null;
  gated: boolean;
  degraded: string | null;
}>;

export type RecollectDeps = Readonly<{ database: DatabasePool; search: Search }>;

type Owner = Readonly<{
  tenantId: string;
  userId: string;
  /** Whether the caller has gone. */
  isAbandoned?: () => boolean;
}>;

/** With so few memories there is nothing to choose (source B). */
const SMALL_SET = 5;
/** What a section has when search finds nothing or fails (source B). */
const FALLBACK_RECENT = 10;
const PROFILE_LIMIT = 50;
/** A longer message is searched for by its end, where the question is. */
const MAX_QUERY_CHARACTERS = 2_000;
const MAX_LIMIT = 200;
/** The profile is in every block; a choice of memories is one of the others. */
const BESIDE_PROFILE: SearchFilters = { tiers: [2, 3] };

/**
 * Looks up what a context block is made from: the core profile always, the summary that the format asks for, and the
 * memories next to the message. Search that fails leaves the rest; `degraded` says so.
 */
export function createRecollect({ database, search }: RecollectDeps) {
  return async function recollect(owner: Owner, request: ContextRequest): Promise<Recollection> {
    const message = messageOf(request);
    const gated = request.gate && request.format !== 'summary' && !shouldRetrieve(message).retrieve;
    const [profile, userSummary, conversationSummary, memories] = await Promise.all([
      listProfile(database, { ...owner, seenFrom: seenFrom(request), limit: PROFILE_LIMIT }),
      request.format === 'summary' ? summaryOf(owner, null) : null,
      request.format === 'augmented' && request.conversation_id !== undefined
        ? summaryOf(owner, request.conversation_id)
        : null,
      gated || request.format === 'summary' ? NOTHING : memoriesFor(owner, request, message),
    ]);
    const known = new Set(profile.map(({ id }) => id));
    return {
      profile: profile.map(toMemory),
      found: memories.found.filter(({ memory }) => !known.has(memory.id)),
      userSummary,
      conversationSummary,
      gated,
      degraded: memories.degraded,
    };
  };

  async function summaryOf(owner: Owner, conversationId: string | null): Promise<string | null> {
    const summary = await findSummary(database, { ...owner, conversationId });
    return summary?.content ?? null;
  }

  async function memoriesFor(owner: Owner, request: ContextRequest, message: string): Promise<Found> {
    const isSection = request.format === 'section' || request.format === 'messages';
    // A filter or a threshold asks for a choice, however few there are.
    const mayTakeAll = isSection && request.filters === undefined && request.min_relevance === undefined;
    if (mayTakeAll) {
      const few = await recent(owner, request, SMALL_SET + 1);
      if (few.length <= SMALL_SET) return { found: few, degraded: null };
    }
    const query = (isSection ? expandQuery(message) : message).slice(-MAX_QUERY_CHARACTERS).trim();
    const found = query === '' ? NOTHING : await searchFor(owner, request, query);
    if (found.found.length > 0 || !mayTakeAll) return found;
    return {
      found: await recent(owner, request, FALLBACK_RECENT),
      degraded: found.degraded ?? 'nothing_found',
    };
  }

  async function searchFor(owner: Owner, request: ContextRequest, query: string): Promise<Found> {
    const spoken = spokenIn(request);
    // Turns of the conversation that are in sight already are taken out: as many more are asked for.
    const limit = Math.min(MAX_LIMIT, request.limit + (request.include_turns ? spoken.size : 0));
    const { results, degraded } = await search({
      ...owner,
      seenFrom: seenFrom(request),
      request: toSearchRequest(request, query, limit),
    });
    const found = results
      .filter(({ memory, turn }) => turn === undefined || !spoken.has(memory.content.trim()))
      .slice(0, request.limit)
      .map(({ memory, score, turn }) => ({ memory, score, role: turn?.role ?? memory.kind }));
    return { found, degraded: degraded.length === 0 ? null : degraded.join(',') };
  }

  async function recent(owner: Owner, request: ContextRequest, limit: number): Promise<Found['found']> {
    const rows = await searchRecent(database, {
      ...owner,
      seenFrom: seenFrom(request),
      filters: BESIDE_PROFILE,
      limit,
    });
    return rows.map((row) => ({ memory: toMemory(row), score: 0, role: row.kind }));
  }
}

/** A conversation sees what is kept for it and what is kept for none. */
function seenFrom(request: ContextRequest): string {
  return request.conversation_id ?? '';
}

/** What is said in the request itself. */
function spokenIn(request: ContextRequest): Set<string> {
  const texts = [messageOf(request), ...(request.messages ?? []).map(({ content }) => contentText(content))];
  return new Set(texts.map((text) => text.trim()).filter((text) => text !== ''));
}

function toSearchRequest(request: ContextRequest, query: string, limit: number): SearchRequest {
  const { conversation_id: conversationId, include_turns: withTurns, filters, project } = request;
  return searchRequestSchema.parse({
    query,
    limit,
    mode: request.mode,
    filters: { ...BESIDE_PROFILE, ...filters, ...(project === undefined ? {} : { project }) },
    recency_weight: request.recency_weight,
    min_relevance: request.min_relevance,
    ...(withTurns && conversationId !== undefined
      ? { scopes: [conversationId, GLOBAL_SCOPE], include_turns: true, include_pending: true }
      : {}),
  });
}

type Found = Pick<Recollection, 'found' | 'degraded'>;
const NOTHING: Found = { found: [], degraded: null };
