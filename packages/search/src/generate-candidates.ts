import { GLOBAL_SCOPE, type SearchChannel, type SearchRequest } from '@factmill/contracts';
import { type CandidateRow, isConnectTimeout, type Sql } from '@factmill/database';
import { queryPhrase, queryTerms } from '@factmill/ranking';
import { withSpan } from '@factmill/telemetry';
import type { ChannelHits } from './candidate.ts';
import { searchByProject } from './channels/by-project.ts';
import { searchByText } from './channels/by-substring.ts';
import { searchRecent } from './channels/recent.ts';
import { mayBeTurns, turnToRow } from './channels/turn-row.ts';
import { searchTurns } from './channels/turns.ts';
import type { EmbeddedQuery, EmbedQuery } from './embedded-query.ts';
import type { KeptSigns } from './nearest/kept-signs.ts';
import { searchByVector } from './nearest/search-by-vector.ts';
import type { SearchSettings } from './settings.ts';
import type { SearchTarget } from './target.ts';
import type { KeptWords } from './words/kept-words.ts';
import { searchByWords, type WordHits } from './words/search-by-words.ts';

export type GatherDeps = Readonly<{
  database: Sql;
  embedQuery: EmbedQuery;
  /** Without it vectors are always compared in the database. */
  keptSigns?: KeptSigns;
  /** Without it words are always found in the database. */
  keptWords?: KeptWords;
}>;

export type Gathered = Readonly<{
  found: ChannelHits[];
  /** Null when no vector was wanted. */
  embedded: EmbeddedQuery | null;
  /** Channels that could not be asked, with their errors. */
  failed: ReadonlyMap<SearchChannel, unknown>;
  terms: readonly string[];
  embedMs: number;
}>;

/** A shorter word is in too many others (`art` in `party`) to be looked for in them beside words that are known. */
const LEAST_PART = 4;

type Words = () => Promise<WordHits>;

type Hits = { row: CandidateRow; value: number }[];

/**
 * Asks the channels of a search, all scopes and channels at once, each with a statement of its own. A channel that
 * fails is left out.
 */
export function createGather({ database, embedQuery, keptSigns, keptWords }: GatherDeps) {
  return async (
    target: Omit<SearchTarget, 'scope'>,
    request: SearchRequest,
    settings: SearchSettings,
  ): Promise<Gathered> => {
    const { query } = request;
    const { channels, candidates: limit } = settings;
    const terms = queryTerms(query);
    const failed = new Map<SearchChannel, unknown>();
    let embedMs = 0;

    const embedding = channels.has('vector') ? embed() : Promise.resolve(null);
    async function embed(): Promise<EmbeddedQuery> {
      const startedAt = performance.now();
      const embedded = await withSpan('embed query', {}, () => embedQuery(query));
      embedMs = performance.now() - startedAt;
      return embedded;
    }

    async function byVector(scoped: SearchTarget): Promise<Hits> {
      const embedded = await embedding;
      if (embedded === null || 'unavailable' in embedded) return [];
      const { id: model, dimensions, minSimilarity } = embedded.profile;
      const search = {
        ...scoped,
        model,
        dimensions,
        vector: embedded.vector,
        minSimilarity: settings.minSimilarity ?? minSimilarity,
        limit,
      };
      const rows = await searchByVector(database, search, keptSigns);
      return rows.map((row) => ({ row, value: row.similarity }));
    }

    async function byText(scoped: SearchTarget, words: Words | null): Promise<ChannelHits[]> {
      if (words === null) return [{ channel: 'trigram', hits: await bySubstring(scoped, terms, true) }];
      const { rows, unknownTerms } = await words();
      const text: ChannelHits = { channel: 'text', hits: rows.map((row) => ({ row, value: row.wordScore })) };
      if (!channels.has('trigram')) return [text];
      const substring = async (some: readonly string[], asPhrase: boolean): Promise<ChannelHits[]> => [
        text,
        { channel: 'trigram', hits: await bySubstring(scoped, some, asPhrase) },
      ];
      // Whole words are of no help: parts of them may be.
      if (rows.length === 0 || unknownTerms.length === terms.length) return substring(unknownTerms, true);
      // What has the whole query has each of its words, of which some are known.
      const parts = unknownTerms.filter((term) => term.length >= LEAST_PART);
      return parts.length === 0 ? [text] : substring(parts, false);
    }

    async function bySubstring(
      scoped: SearchTarget,
      some: readonly string[],
      asPhrase: boolean,
    ): Promise<Hits> {
      const rows = await searchByText(database, {
        ...scoped,
        phrase: asPhrase ? queryPhrase(query) : null,
        terms: some,
        limit,
      });
      return rows.map((row) => ({ row, value: row.textScore }));
    }

    /** What a channel finds; nothing, and a note of it, when it fails. */
    async function attempt(
      channel: SearchChannel,
      find: () => Promise<ChannelHits[]>,
    ): Promise<ChannelHits[]> {
      try {
        return await withSpan(`search by ${channel}`, {}, find);
      } catch (error) {
        failed.set(channel, error);
        return [];
      }
    }

    const searches = settings.scopes.flatMap((scope) => {
      const scoped: SearchTarget = scope === undefined ? target : { ...target, scope };
      const one = (channel: SearchChannel, find: () => Promise<Hits>) =>
        channels.has(channel) ? [attempt(channel, async () => [{ channel, hits: await find() }])] : [];
      const near = one('vector', () => byVector(scoped));
      // Asked once, for the text and for whether a project is named.
      let asked: Promise<WordHits> | undefined;
      const words = channels.has('text')
        ? () => (asked ??= searchByWords(database, { ...scoped, terms, query, limit }, keptWords))
        : null;
      const inText = async () => {
        // D7: substrings only where vectors leave room.
        if (settings.mode === 'vector' && ((await near[0])?.[0]?.hits.length ?? 0) >= settings.candidates) {
          return [];
        }
        return byText(scoped, words);
      };
      return [
        ...near,
        ...(channels.has('text') || channels.has('trigram')
          ? [attempt(channels.has('text') ? 'text' : 'trigram', inText)]
          : []),
        ...one('project', async () => {
          // D7 may do without words.
          const text = await (settings.mode === 'vector' ? asked : words?.())?.catch((error: unknown) => {
            // Waiting for a connection once more would bring none either.
            if (isConnectTimeout(error)) throw error;
          });
          if (text?.mayNameProject === false) return [];
          return (await searchByProject(database, { ...scoped, query, limit })).map((row) => ({
            row,
            value: 1,
          }));
        }),
        ...one('recent', async () =>
          (await searchRecent(database, { ...scoped, limit })).map((row) => ({
            row,
            value: row.statedAt.getTime(),
          })),
        ),
      ];
    });
    const turns =
      (request.include_turns || request.include_pending) && mayBeTurns(target.filters)
        ? [attempt('turns', () => byTurns(target, request, terms, limit))]
        : [];
    const found = (await Promise.all([...searches, ...turns])).flat();
    return { found: mergeScopes(found), embedded: await embedding, failed, terms, embedMs };
  };

  async function byTurns(
    target: Omit<SearchTarget, 'scope'>,
    request: SearchRequest,
    terms: readonly string[],
    limit: number,
  ): Promise<ChannelHits[]> {
    const { tenantId, userId, filters, asOf } = target;
    const scopes = request.scopes?.filter((scope) => scope !== GLOBAL_SCOPE) ?? null;
    const { conversation_id: only } = filters;
    const conversationIds =
      only === undefined ? scopes : (scopes ?? [only]).filter((scope) => scope === only);
    const rows = await searchTurns(database, {
      tenantId,
      userId,
      terms,
      conversationIds,
      pendingOnly: !request.include_turns,
      project: filters.project,
      until: asOf === undefined ? undefined : earlier(asOf.validAt, asOf.knownAt),
      limit,
    });
    // Asked for all turns but not for pending ones, those are left to their extraction.
    const wanted = request.include_pending ? rows : rows.filter((row) => !row.pending);
    const hits = wanted.map((row) => {
      const memory = turnToRow(row);
      const { conversationId, messageId, role, pending } = row;
      return {
        row: memory,
        value: row.turnScore,
        turn: { conversationId, messageId, role, pending, memory },
      };
    });
    return [{ channel: 'turns', hits }];
  }
}

function earlier(left: Date, right: Date): Date {
  return left < right ? left : right;
}

/** The hits of a channel from all scopes as one list, best first. */
function mergeScopes(found: readonly ChannelHits[]): ChannelHits[] {
  const channels = [...new Set(found.map(({ channel }) => channel))];
  return channels.map((channel) => {
    const lists = found.filter((one) => one.channel === channel);
    const all = lists.flatMap((one) => one.hits);
    const hits = lists.length === 1 ? all : all.toSorted((a, b) => b.value - a.value);
    const unique = [...new Map(hits.map((hit) => [hit.row.id, hit])).values()];
    return {
      channel,
      hits: unique.map((hit, index) => ({ ...hit, value: toShare(channel, hit.value, index, unique) })),
    };
  });
}

/** Measures without an upper end become shares of the best. */
function toShare(
  channel: SearchChannel,
  value: number,
  index: number,
  hits: readonly Readonly<{ value: number }>[],
): number {
  if (channel === 'recent') return 1 / (index + 1);
  return channel === 'text' ? value / Math.max(hits[0]?.value ?? 1, Number.MIN_VALUE) : value;
}
