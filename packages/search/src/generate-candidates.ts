import type { SearchChannel, SearchRequest } from '@factmill/contracts';
import type { Sql } from '@factmill/database';
import { namedPeriods, type NamedPeriods } from '@factmill/extractive';
import { relatedTerms } from '@factmill/ranking';
import { withSpan } from '@factmill/telemetry';
import type { ChannelHits } from './candidate.ts';
import { dateChannel } from './channels/by-date.ts';
import { fullTextChannel } from './channels/by-full-text.ts';
import { projectChannel } from './channels/by-project.ts';
import { spellingChannel } from './channels/by-spelling.ts';
import { substringChannel } from './channels/by-substring.ts';
import { vectorChannel } from './channels/by-vector.ts';
import type { Channel, ChannelSearch } from './channels/channel.ts';
import type { QueryVector } from './channels/nearest.ts';
import { recentChannel } from './channels/recent.ts';
import { searchTurns } from './channels/turns.ts';
import type { EmbeddedQuery, EmbedQuery } from './embedded-query.ts';
import { type Filler, findFillers } from './fillers.ts';
import { openFirstStage } from './first-stage.ts';
import { rarestTerms } from './rarest-terms.ts';
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
  /** What fills the results up to the limit, where that was asked for. */
  fillers: readonly Filler[];
  /** Null when no vector was wanted, or the model does not read the query. */
  embedded: EmbeddedQuery | null;
  /** Channels that could not be asked, with their errors. */
  failed: ReadonlyMap<SearchChannel, unknown>;
  terms: readonly string[];
  /** The periods that the query names, and what else it says. */
  named: NamedPeriods;
  embedMs: number;
}>;

/** Asked in each scope. */
const CHANNELS: readonly (readonly [SearchChannel, Channel])[] = [
  ['vector', vectorChannel],
  ['text', fullTextChannel],
  ['trigram', substringChannel],
  ['trigram', spellingChannel],
  ['project', projectChannel],
  ['date', dateChannel],
  ['recent', recentChannel],
];

/**
 * Asks the channels of a search, in all scopes at once. A channel that fails is left out. `at` is the moment of which
 * the query speaks: its `yesterday` is the day before.
 */
export function createGenerateCandidates({ database, embedQuery, residents }: GenerateCandidatesDeps) {
  return async (
    target: Omit<SearchTarget, 'scope'>,
    request: SearchRequest,
    settings: SearchSettings,
    at: Date,
  ): Promise<Generated> => {
    const { query } = request;
    const { channels, candidates: limit } = settings;
    const failed = new Map<SearchChannel, unknown>();
    let embedMs = 0;
    const embedding = channels.has('vector') ? embed() : Promise.resolve(null);
    const named = channels.has('date') ? namedPeriods(query, at) : { periods: [], rest: query };
    const terms = await rarestTerms(database, target, query);

    async function embed(): Promise<EmbeddedQuery | null> {
      const startedAt = performance.now();
      const embedded = await withSpan('embed query', {}, () => embedQuery(query, target));
      embedMs = performance.now() - startedAt;
      return embedded;
    }

    function openScope(scoped: SearchTarget): ChannelSearch {
      const queryVector = async () => toQueryVector(await embedding, scoped, settings);
      const first = openFirstStage({
        database,
        residents,
        target: scoped,
        vector: queryVector,
        text: channels.has('text') ? { ...scoped, terms, query, limit } : null,
        relatedTerms: settings.mode === 'fused' ? relatedTerms(terms) : [],
      });
      const { periods } = named;
      return { database, target: scoped, request, settings, terms, periods, limit, queryVector, first };
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
    const fillers = settings.fill ? await findFillers(searches) : [];
    return {
      found: mergeScopes([...found, ...turns]),
      fillers,
      embedded: await embedding,
      failed,
      terms,
      named,
      embedMs,
    };
  };
}

/** Cosine: so far below the cutoff a memory still is a candidate of a fused search. */
const WEAK_BAND = 0.13;

function toQueryVector(
  embedded: EmbeddedQuery | null,
  target: SearchTarget,
  { mode, minSimilarity, candidates: limit, fill }: SearchSettings,
): QueryVector | null {
  if (embedded === null || 'unavailable' in embedded) return null;
  const { profile, vector } = embedded;
  const { id: model, dimensions, reads } = profile;
  const cutoff = minSimilarity ?? profile.minSimilarity;
  const hasBand = mode === 'fused' && minSimilarity === undefined;
  const least = fill ? -1 : hasBand ? cutoff - WEAK_BAND : cutoff;
  const search = { ...target, model, dimensions, vector, minSimilarity: least, limit };
  return { search, cutoff: least === cutoff ? -Infinity : cutoff, reads };
}

/** The hits of a channel from all scopes, and in all its ways, as one list, best first. */
function mergeScopes(found: readonly ChannelHits[]): ChannelHits[] {
  const channels = [...new Set(found.map(({ channel }) => channel))];
  return channels.map((channel) => {
    const lists = found.filter((one) => one.channel === channel);
    const all = lists.flatMap((one) => one.hits);
    const hits = lists.length === 1 ? all : all.toSorted((a, b) => b.value - a.value);
    const seen = new Set<string>();
    const unique = hits.filter(({ row }) => !seen.has(row.id) && seen.add(row.id));
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
