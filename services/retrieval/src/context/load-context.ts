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

/** The stored data that is relevant to a message. */
export type LoadedContext = Readonly<{
  profile: readonly Memory[];
  /** Most relevant first. */
  hits: readonly Readonly<{ memory: Memory; score: number; role: string }>[];
  userSummary: string | null;
  conversationSummary: string | null;
  gated: boolean;
  degraded: string | null;
}>;

export type LoadContextDeps = Readonly<{ database: DatabasePool; search: Search }>;

type Owner = Readonly<{
  tenantId: string;
  userId: string;
  /** Whether the caller has disconnected. */
  isAbandoned?: () => boolean;
}>;

/** A user with at most this many memories gets all of them (source B). */
const SMALL_SET = 5;
/** Recent memories in a section when search fails or returns none (source B). */
const FALLBACK_RECENT = 10;
const PROFILE_LIMIT = 50;
/** Only the end of a longer message is searched for: the question is there. */
const MAX_QUERY_CHARACTERS = 2_000;
const MAX_LIMIT = 200;
/** The profile is in every block, so searches cover the other tiers. */
const BESIDE_PROFILE: SearchFilters = { tiers: [2, 3] };

/**
 * Loads the parts of a context block: the core profile, the summary of the format, and the memories that match the
 * message. When search fails the others remain, and `degraded` says why.
 */
export function createLoadContext({ database, search }: LoadContextDeps) {
  return async function loadContext(owner: Owner, request: ContextRequest): Promise<LoadedContext> {
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
      hits: memories.hits.filter(({ memory }) => !known.has(memory.id)),
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

  async function memoriesFor(owner: Owner, request: ContextRequest, message: string): Promise<Hits> {
    const isSection = request.format === 'section' || request.format === 'messages';
    // A filter or a threshold requires a search, even with few memories.
    const mayTakeAll = isSection && request.filters === undefined && request.min_relevance === undefined;
    if (mayTakeAll) {
      const few = await recent(owner, request, SMALL_SET + 1);
      if (few.length <= SMALL_SET) return { hits: few, degraded: null };
    }
    const query = (isSection ? expandQuery(message) : message).slice(-MAX_QUERY_CHARACTERS).trim();
    const found = query === '' ? NOTHING : await searchFor(owner, request, query);
    if (found.hits.length > 0 || !mayTakeAll) return found;
    return {
      hits: await recent(owner, request, FALLBACK_RECENT),
      degraded: found.degraded ?? 'nothing_found',
    };
  }

  async function searchFor(owner: Owner, request: ContextRequest, query: string): Promise<Hits> {
    const spoken = spokenIn(request);
    // A turn is found by a part of it.
    const isSpoken = (part: string) => [...spoken].some((text) => text.includes(part.trim()));
    // Turns that the request already contains are dropped from the results, so the limit is raised by their number.
    const limit = Math.min(MAX_LIMIT, request.limit + (request.include_turns === false ? 0 : spoken.size));
    const { results, degraded } = await search({
      ...owner,
      seenFrom: seenFrom(request),
      request: toSearchRequest(request, query, limit),
    });
    const hits = results
      .filter(({ memory, turn }) => turn === undefined || !isSpoken(memory.content))
      .slice(0, request.limit)
      .map(({ memory, score, turn }) => ({ memory, score, role: turn?.role ?? memory.kind }));
    return { hits, degraded: degraded.length === 0 ? null : degraded.join(',') };
  }

  async function recent(owner: Owner, request: ContextRequest, limit: number): Promise<Hits['hits']> {
    const rows = await searchRecent(database, {
      ...owner,
      seenFrom: seenFrom(request),
      filters: BESIDE_PROFILE,
      limit,
    });
    return rows.map((row) => ({ memory: toMemory(row), score: 0, role: row.kind }));
  }
}

/** A conversation sees its own memories and those of no conversation. */
function seenFrom(request: ContextRequest): string {
  return request.conversation_id ?? '';
}

/** The texts of the request itself. */
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
    ...(withTurns === true && conversationId !== undefined
      ? { scopes: [conversationId, GLOBAL_SCOPE], include_turns: true, include_pending: true }
      : { include_turns: withTurns }),
  });
}

type Hits = Pick<LoadedContext, 'hits' | 'degraded'>;
const NOTHING: Hits = { hits: [], degraded: null };
