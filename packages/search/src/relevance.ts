import type { ResultExplanation, SearchChannel } from '@factmill/contracts';
import {
  boundedTexts,
  classicRelevance,
  compareText,
  dateFit,
  exactShares,
  fuseRanks,
  keyMatch,
  queryTerms,
  mergeVectorThenText,
  type RankedList,
  trigramSimilarities,
} from '@factmill/ranking';
import type { NamedPeriods } from '@factmill/extractive';
import type { Candidate, ChannelHits } from './candidate.ts';
import type { SearchSettings } from './settings.ts';

type FusedChannel = ResultExplanation['channels'][number]['channel'];

export type ScoredCandidate = Readonly<{
  candidate: Candidate;
  /** 0 to 1. */
  relevance: number;
  /** Worked out when asked for: of most candidates nobody asks. */
  channels: () => ResultExplanation['channels'];
}>;

/**
 * How much each channel counts in the fused mode. Vector, text and wording were chosen on the LoCoMo conversations 26
 * and 30 (ADR 13); substrings stand in for text where that knows no word; the rank of a turn
 * is of its vector and words together; keys and projects are named too rarely there to measure and only tip the balance;
 * what a question says exactly (names and numbers, dates) counts more than any rank (ADR 25).
 */
const WEIGHTS: Readonly<Record<FusedChannel, number>> = {
  vector: 1,
  text: 0.5,
  trigram: 0.5,
  wording: 0.75,
  exact: 1.5,
  turns: 1,
  key: 0.25,
  project: 0.25,
  date: 2,
  recent: 0.1,
};

export type RelevanceInput = Readonly<{
  query: string;
  terms: readonly string[];
  named: NamedPeriods;
  found: readonly ChannelHits[];
  candidates: readonly Candidate[];
  settings: SearchSettings;
  nowMs: number;
}>;

/** How relevant each candidate is to the query, most relevant first, then by id. */
export function scoreCandidates(input: RelevanceInput): ScoredCandidate[] {
  switch (input.settings.mode) {
    case 'fused':
      return scoreFused(input);
    case 'classic':
      return scoreEach(input, classicScore(input));
    case 'enhanced':
      return scoreEach(input, ({ values, similarity }) => Math.max(0, similarity ?? bestOf(values)));
    default:
      return scoreVectorThenText(input);
  }
}

function scoreFused({ query, terms, named, found, candidates, settings }: RelevanceInput): ScoredCandidate[] {
  const texts = boundedTexts(candidates.map(({ row }) => row.content));
  const wording = trigramSimilarities(query, texts);
  const exact = exactShares(named.rest, texts) ?? [];
  const dates = candidates.map(({ row }) => dateFit(named.periods, row));
  const matches = candidates.map(({ row }) => keyMatch(terms, row));
  const values = (channel: FusedChannel, index: number): number | null => {
    if (channel === 'wording') return wording[index] ?? 0;
    if (channel === 'exact') return exact[index] ?? 0;
    if (channel === 'date') return dates[index] ?? 0;
    return channel === 'key' ? (matches[index] ?? 0) : (candidates[index]?.values.get(channel) ?? null);
  };
  const ranked = (channel: FusedChannel, scores: readonly number[]): RankedList<FusedChannel> => ({
    channel,
    weight: WEIGHTS[channel],
    ids: candidates
      .map(({ id }, index) => ({ id, score: scores[index] ?? 0 }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || compareText(a.id, b.id))
      .map(({ id }) => id),
  });
  /** Of those that have it at all, no one has a better rank. */
  const shared = (channel: FusedChannel, shares: readonly number[]): RankedList<FusedChannel> => {
    const having = candidates.flatMap(({ id }, index) => {
      const share = shares[index] ?? 0;
      return share > 0 ? [{ id, share }] : [];
    });
    return {
      channel,
      weight: WEIGHTS[channel],
      ids: having.map(({ id }) => id),
      shares: having.map(({ share }) => share),
    };
  };
  const asksForDateOnly = queryTerms(named.rest).length === 0;
  // How well a date fits is known of every candidate, whichever channel found it.
  const byRank = found.filter(({ channel }) => channel !== 'date');
  const lists: RankedList<FusedChannel>[] = [
    ...byRank.map(({ channel, hits }) => ({
      channel,
      weight: WEIGHTS[channel],
      ids: hits.map(({ row }) => row.id),
    })),
    // Where even the most alike candidate has little of the question's wording, that says little.
    { ...ranked('wording', wording), weight: WEIGHTS.wording * Math.sqrt(Math.max(0, ...wording)) },
    shared('exact', exact),
    { ...shared('date', dates), weight: WEIGHTS.date * (asksForDateOnly ? 2 : 1) },
    ...(settings.channels.has('key') ? [ranked('key', matches)] : []),
  ].filter(({ ids }) => ids.length > 0);
  const indexes = new Map(candidates.map((candidate, index) => [candidate.id, index]));
  return fuseRanks(lists).flatMap(({ id, score, contributions }) => {
    const index = indexes.get(id) ?? -1;
    const candidate = candidates[index];
    if (candidate === undefined) return [];
    const channels = () => contributions.map((one) => ({ ...one, value: values(one.channel, index) }));
    return [{ candidate, relevance: score, channels }];
  });
}

function classicScore({ nowMs }: RelevanceInput): (candidate: Candidate) => number {
  return ({ row, values }) =>
    classicRelevance({
      textScore: Math.max(
        ...(['text', 'trigram', 'turns'] as const).map((channel) => values.get(channel) ?? 0),
      ),
      ofNamedProject: values.has('project'),
      importance: row.importance,
      category: row.category,
      ageMs: nowMs - row.statedAt.getTime(),
    });
}

function scoreEach(input: RelevanceInput, rate: (candidate: Candidate) => number): ScoredCandidate[] {
  return input.candidates
    .map((candidate) => {
      const relevance = Math.min(1, rate(candidate));
      return { candidate, relevance, channels: () => explainRanks(candidate, input.found, relevance) };
    })
    .sort((a, b) => b.relevance - a.relevance || compareText(a.candidate.id, b.candidate.id));
}

/** D7: vector first, then text. Other channels that were asked for count as text. */
function scoreVectorThenText(input: RelevanceInput): ScoredCandidate[] {
  const byVector = input.candidates.flatMap((item) => {
    const similarity = item.values.get('vector');
    return similarity === undefined ? [] : [{ id: item.id, item, similarity }];
  });
  const byText = input.candidates.flatMap((item) => {
    const others = new Map([...item.values].filter(([channel]) => channel !== 'vector'));
    return others.size === 0 ? [] : [{ id: item.id, item, score: bestOf(others) }];
  });
  return mergeVectorThenText(byVector, byText, input.candidates.length).map(({ item, score }) => ({
    candidate: item,
    relevance: score,
    channels: () => explainRanks(item, input.found, score),
  }));
}

function bestOf(values: ReadonlyMap<SearchChannel, number>): number {
  return Math.max(0, ...values.values());
}

/** Outside of fusion a channel adds nothing of its own: its value is all there is to show. */
function explainRanks(
  candidate: Candidate,
  found: readonly ChannelHits[],
  relevance: number,
): ResultExplanation['channels'] {
  return Array.from(candidate.values, ([channel, value]) => {
    const hits = found.find((one) => one.channel === channel)?.hits ?? [];
    return {
      channel,
      rank: hits.findIndex(({ row }) => row.id === candidate.id) + 1,
      value,
      score: relevance,
    };
  });
}
