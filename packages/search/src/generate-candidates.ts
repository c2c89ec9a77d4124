import type { SearchChannel, SearchRequest } from '@factmill/contracts';
import type { Sql } from '@factmill/database';
import { queryTerms } from '@factmill/ranking';
import { withSpan } from '@factmill/telemetry';
import type { ChannelHits } from './candidate.ts';
import { fullTextChannel } from './channels/by-full-text.ts';
import { projectChannel } from './channels/by-project.ts';
import { substringChannel } from './channels/by-substring.ts';
import { vectorChannel } from './channels/by-vector.ts';
import type { Channel, ChannelSearch } from './channels/channel.ts';
import type { VectorSearch } from './channels/nearest.ts';
import { recentChannel } from './channels/recent.ts';
import { searchTurns } from './channels/turns.ts';
import type { EmbeddedQuery, EmbedQuery } from './embedded-query.ts';
import { openFirstStage } from './first-stage.ts';
import type { ResidentIndexes } from './resident/resident-indexes.ts';
import type { SearchSettings } from './settings.ts';
import type { SearchTarget } from './target.ts';

export type GenerateCandidatesDeps = Readonly<{
  database: Sql;
  embedQuery: EmbedQuery;
  /** Without them each channel always asks by a statement of its own. */
  residents?: ResidentIndexes;
}>;

export type Generated = Readonly<{
  found: ChannelHits[];
  /** Null when no vector was wanted, or the model does not read the query. */
  embedded: EmbeddedQuery | null;
  /** Channels that could not be asked, with their errors. */
  failed: ReadonlyMap<SearchChannel, unknown>;
  terms: readonly string[];
  embedMs: number;
}>;

/** Asked in each scope. */
const CHANNELS: readonly (readonly [SearchChannel, Channel])[] = [
  ['vector', vectorChannel],
  ['text', fullTextChannel],
  ['trigram', substringChannel],
  ['project', projectChannel],
  ['recent', recentChannel],
];

/** Asks the channels of a search, in all scopes at once. A channel that fails is left out. */
export function createGenerateCandidates({ database, embedQuery, residents }: GenerateCandidatesDeps) {
  return async (
    target: Omit<SearchTarget, 'scope'>,
    request: SearchRequest,
    settings: SearchSettings,
  ): Promise<Generated> => {
    const { query } = request;
    const { channels, candidates: limit } = settings;
    const terms = queryTerms(query);
    const failed = new Map<SearchChannel, unknown>();
    let embedMs = 0;
    const embedding = channels.has('vector') ? embed() : Promise.resolve(null);

    async function embed(): Promise<EmbeddedQuery | null> {
      const startedAt = performance.now();
      const embedded = await withSpan('embed query', {}, () => embedQuery(query));
      embedMs = performance.now() - startedAt;
      return embedded;
    }

    async function toVectorSearch(scoped: SearchTarget): Promise<VectorSearch | null> {
      const embedded = await embedding;
      if (embedded === null || 'unavailable' in embedded) return null;
      const { profile, vector } = embedded;
      return {
        ...scoped,
        model: profile.id,
        dimensions: profile.dimensions,
        vector,
        minSimilarity: settings.minSimilarity ?? profile.minSimilarity,
        limit,
      };
    }

    function openScope(scoped: SearchTarget): ChannelSearch {
      const queryVector = () => toVectorSearch(scoped);
      const first = openFirstStage({
        database,
        residents,
        target: scoped,
        vector: queryVector,
        text: channels.has('text') ? { ...scoped, terms, query, limit } : null,
      });
      return { database, target: scoped, request, settings, terms, limit, queryVector, first };
    }

    /** What a channel finds; nothing, and a note of it, when it fails. */
    async function ask(name: SearchChannel, channel: Channel, search: ChannelSearch): Promise<ChannelHits[]> {
      try {
        const hits = await withSpan(`search by ${name}`, {}, () => channel(search));
        return hits === null ? [] : [{ channel: name, hits }];
      } catch (error) {
        failed.set(name, error);
        return [];
      }
    }

    const searches = settings.scopes.map((scope) =>
      openScope(scope === undefined ? target : { ...target, scope }),
    );
    const asked = searches.flatMap((search) =>
      CHANNELS.filter(([name]) => channels.has(name)).map(([name, channel]) => ask(name, channel, search)),
    );
    const found = (await Promise.all(asked)).flat();
    const search = { ...(searches[0] ?? openScope(target)), target };
    const turns = await ask('turns', (of) => searchTurns(of, found), search);
    return { found: mergeScopes([...found, ...turns]), embedded: await embedding, failed, terms, embedMs };
  };
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
