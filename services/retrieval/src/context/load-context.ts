import {
  contentText,
  type ContextExplanation,
  type ContextRequest,
  GLOBAL_SCOPE,
  type Memory,
  type SearchExplanation,
  type SearchRequest,
  searchRequestSchema,
  type SearchResult,
} from '@factmill/contracts';
import { type ChatTurn, type DatabasePool, findSummary, listProfile, toMemory } from '@factmill/database';
import { expandQuery, shouldRetrieve } from '@factmill/ranking';
import { type Search, searchRecent, withPreset } from '@factmill/search';
import type { ContextSettings } from './context-settings.ts';
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
  /** Null unless the request asks for it. */
  explain: ContextExplanation | null;
}>;

export type LoadContextDeps = Readonly<{
  database: DatabasePool;
  search: Search;
  /** Whether SEARCH_MODE says how searches are answered, whatever the preset. */
  hasMode: boolean;
}>;

type Owner = Readonly<{
  tenantId: string;
  userId: string;
  /** Whether the caller has disconnected. */
  isAbandoned?: () => boolean;
}>;

const PROFILE_LIMIT = 50;
/** Only the end of a longer message is searched for: the question is there. */
const MAX_QUERY_CHARACTERS = 2_000;
const MAX_LIMIT = 200;

/**
 * Loads the parts of a context block: the core profile, the summary of the format, and the memories that match the
 * message. When search fails the others remain, and `degraded` says why.
 */
export function createLoadContext({ database, search, hasMode }: LoadContextDeps) {
  return async function loadContext(
    owner: Owner,
    request: ContextRequest,
    settings: ContextSettings,
  ): Promise<LoadedContext> {
    const message = messageOf(request);
    const { format } = settings;
    const gate = shouldRetrieve(message);
    const gateApplies = settings.gate && format !== 'summary';
    const gated = gateApplies && !gate.retrieve;
    const [profile, userSummary, conversationSummary, memories] = await Promise.all([
      listProfile(database, { ...owner, ...visibleTo(request), limit: PROFILE_LIMIT }),
      format === 'summary' ? summaryOf(owner, null) : null,
      format === 'augmented' && settings.conversationSummary && request.conversation_id !== undefined
        ? summaryOf(owner, request.conversation_id, request.turn_id)
        : null,
      gated || format === 'summary' ? NOTHING : memoriesFor(owner, request, settings, message),
    ]);
    const known = new Set(profile.map(({ id }) => id));
    return {
      profile: profile.map(toMemory),
      hits: memories.hits.filter(({ memory }) => !known.has(memory.id)),
      userSummary,
      conversationSummary,
      gated,
      degraded: memories.degraded,
      explain: request.explain
        ? { gate, gate_applies: gateApplies, query: memories.query, search: memories.explain }
        : null,
    };
  };

  async function summaryOf(
    owner: Owner,
    conversationId: string | null,
    besidesTurn: string | null = null,
  ): Promise<string | null> {
    const summary = await findSummary(database, { ...owner, conversationId }, besidesTurn);
    return summary?.content ?? null;
  }

  async function memoriesFor(
    owner: Owner,
    request: ContextRequest,
    settings: ContextSettings,
    message: string,
  ): Promise<Hits> {
    const { takesAllUpTo, fallbackRecent } = settings;
    // A filter or a threshold requires a search, even with few memories.
    const threshold = request.min_relevance ?? settings.numbers.scoreThreshold;
    const isOpen = request.filters === undefined && threshold === undefined;
    if (isOpen && takesAllUpTo > 0) {
      const few = await recent(owner, request, settings, takesAllUpTo + 1);
      if (few.length <= takesAllUpTo) return { ...NOTHING, hits: few };
    }
    const text = settings.expandsQuery ? expandQuery(message) : message;
    const query = text.slice(-MAX_QUERY_CHARACTERS).trim();
    const found = query === '' ? NOTHING : await searchFor(owner, request, settings, query);
    if (found.hits.length > 0 || !isOpen || fallbackRecent === 0) return found;
    return {
      ...found,
      hits: await recent(owner, request, settings, fallbackRecent),
      degraded: found.degraded ?? 'nothing_found',
    };
  }

  async function searchFor(
    owner: Owner,
    request: ContextRequest,
    settings: ContextSettings,
    query: string,
  ): Promise<Hits> {
    const spoken = spokenIn(request);
    // A turn is found by a part of it.
    const isSpoken = (part: string) => [...spoken].some((text) => text.includes(part.trim()));
    const isOwn = isOfTurn(besidesTurn(request));
    // Turns that the request already contains are dropped from the results, so the limit is raised by their number.
    const limit = Math.min(MAX_LIMIT, settings.limit + (settings.turns === false ? 0 : spoken.size));
    const searched = toSearchRequest(request, settings, query, limit);
    const {
      results,
      mode,
      degraded: reasons,
      explain = null,
    } = await search({
      ...owner,
      ...visibleTo(request),
      request: withPreset(searched, hasMode ? null : settings.preset, settings.numbers),
    });
    const degraded = reasons.length === 0 ? null : reasons.join(',');
    // A search that fails hands over to the latest memories; a preset may have a number of its own for them.
    if (mode === 'recent' && settings.fallbackRecent > 0) return { hits: [], degraded, query, explain };
    const hits = results
      .filter(({ memory, turn }) => turn === undefined || !(isSpoken(memory.content) || isOwn(turn)))
      .slice(0, settings.limit)
      .map(({ memory, score, turn }) => ({ memory, score, role: turn?.role ?? memory.kind }));
    return { hits, degraded, query, explain };
  }

  async function recent(
    owner: Owner,
    request: ContextRequest,
    { tiers }: ContextSettings,
    limit: number,
  ): Promise<Hits['hits']> {
    const rows = await searchRecent(database, {
      ...owner,
      ...visibleTo(request),
      filters: { tiers },
      limit,
    });
    return rows.map((row) => ({ memory: toMemory(row), score: 0, role: row.kind }));
  }
}

/** A conversation sees its own memories and those of no conversation; a turn sees none that rests on itself alone. */
function visibleTo(request: ContextRequest) {
  return { visibleToConversation: request.conversation_id ?? '', besidesTurn: besidesTurn(request) };
}

function besidesTurn({ conversation_id: conversationId, turn_id: messageId }: ContextRequest) {
  if (conversationId === undefined || messageId === undefined) return undefined;
  return { conversationId, messageId } satisfies ChatTurn;
}

/** Whether a stored message is the turn's own, or answers it. */
function isOfTurn(turn: ChatTurn | undefined): (message: FoundMessage) => boolean {
  return ({ conversation_id: conversationId, message_id: id }) =>
    turn !== undefined &&
    conversationId === turn.conversationId &&
    (id === turn.messageId || id.startsWith(`${turn.messageId}.`));
}

type FoundMessage = NonNullable<SearchResult['turn']>;

/** The texts of the request itself. */
function spokenIn(request: ContextRequest): Set<string> {
  const texts = [messageOf(request), ...(request.messages ?? []).map(({ content }) => contentText(content))];
  return new Set(texts.map((text) => text.trim()).filter((text) => text !== ''));
}

/** The profile is in every context, so searches cover the other tiers. */
function toSearchRequest(
  request: ContextRequest,
  { tiers, turns }: ContextSettings,
  query: string,
  limit: number,
): SearchRequest {
  const { conversation_id: conversationId, filters, project } = request;
  return searchRequestSchema.parse({
    query,
    limit,
    mode: request.mode,
    filters: { tiers, ...filters, ...(project === undefined ? {} : { project }) },
    recency_weight: request.recency_weight,
    mmr_lambda: request.mmr_lambda,
    min_relevance: request.min_relevance,
    explain: request.explain,
    ...(turns === true && conversationId !== undefined
      ? { scopes: [conversationId, GLOBAL_SCOPE], include_turns: true, include_pending: true }
      : { include_turns: turns }),
  });
}

type Hits = Pick<LoadedContext, 'hits' | 'degraded'> &
  Readonly<{ query: string | null; explain: SearchExplanation | null }>;
const NOTHING: Hits = { hits: [], degraded: null, query: null, explain: null };
