import { GLOBAL_SCOPE, globalConversationsOf } from '@factmill/contracts';
import type { CandidateRow } from '@factmill/database';
import { fuseRanks } from '@factmill/ranking';
import type { ChannelHits } from '../candidate.ts';
import { earlier } from '../as-of-now.ts';
import type { ChannelSearch, Hit } from './channel.ts';
import { findTurnParts, type FoundPart, type TurnTarget } from './turn-parts.ts';
import { findUnindexedTurns } from './unindexed-turns.ts';
import { idOf, mayBeTurns, type TurnRow, turnToRow } from './turn-row.ts';

/** How much what an assistant said counts beside what the user said in words that are as near. */
const OF_ASSISTANT = 0.75;

/**
 * Stored turns, in the form of memories: by meaning and by words, put together by rank, those of users before those of
 * assistants; in the enhanced mode by meaning alone. Where the same is left out, a turn that one of the memories found
 * rests on counts for that memory and is left out itself. Asked after the other channels. Its target has no scope: the
 * conversations are those of the request.
 */
export async function searchTurns(
  search: ChannelSearch,
  found: readonly ChannelHits[],
): Promise<readonly Hit[] | null> {
  const { database, request, settings, terms, first, queryVector } = search;
  if (!(settings.turns || request.include_pending) || !mayBeTurns(search.target.filters)) return null;
  const target = toTarget(search);
  const isDense = settings.mode === 'enhanced';
  const hits = settings.collapse ? found.flatMap((channel) => channel.hits) : [];
  const memories = new Map(hits.map(({ row }) => [row.id, row]));
  const memoryIds = [...memories.keys()];
  const findIndexed = async (): Promise<FoundPart[]> => {
    if (!settings.turns || !(await first.mayHaveTurns())) return [];
    // Those of all users are found by their words only.
    const asked = target.userId === null ? null : await queryVector();
    const vector =
      asked === null
        ? null
        : { ...asked.search, minSimilarity: Math.max(asked.search.minSimilarity, asked.cutoff) };
    const searched = { vector, terms: isDense ? [] : terms, memoryIds };
    const parts = await findTurnParts(database, target, searched);
    return parts.filter(({ list, content }) => list !== 'near' || asked?.reads(content) === true);
  };
  const findUnindexed = async (): Promise<TurnRow[]> => {
    // A search that does not ask for turns does without the last few seconds.
    if (request.include_turns !== true && !request.include_pending) return [];
    const pendingOnly = request.include_turns !== true;
    return findUnindexedTurns(database, { ...target, pendingOnly }, terms, memoryIds);
  };
  const [parts, unindexed] = await Promise.all([findIndexed(), findUnindexed()]);
  const listOf = (list: FoundPart['list']) =>
    parts.filter((part) => part.list === list).sort((a, b) => b.score - a.score);
  const near = listOf('near');
  // Of turns that have no vector yet, the share of words stands in for the similarity.
  return isDense
    ? toHits([...near, ...unindexed], (_turn, row) => row.score, { near, memories })
    : fuse([near, [...listOf('words'), ...unindexed]], { near, memories });
}

type Beside = Readonly<{ near: readonly TurnRow[]; memories: ReadonlyMap<string, CandidateRow> }>;

/** One hit for each turn: by the first of its parts. */
function toHits(
  rows: readonly TurnRow[],
  valueOf: (turn: string, row: TurnRow) => number,
  { near, memories }: Beside,
): Hit[] {
  const turns = new Map<string, TurnRow>();
  for (const row of rows) {
    const id = idOf(row);
    if (!turns.has(id)) turns.set(id, row);
  }
  const measured = new Set(near);
  return Array.from(turns, ([id, turn]): Hit => {
    const { conversationId, messageId, role, pending, memoryId, partId } = turn;
    const value = valueOf(id, turn);
    const memory = memoryId === null ? undefined : memories.get(memoryId);
    if (memory !== undefined) return { row: memory, value };
    const row = turnToRow(turn);
    const similarity = measured.has(turn) ? { similarity: turn.score } : {};
    return {
      row,
      value,
      ...similarity,
      turn: { conversationId, messageId, role, pending, memory: row, partId },
    };
  }).toSorted((a, b) => b.value - a.value);
}

/** By rank in both lists. */
function fuse(lists: readonly (readonly TurnRow[])[], beside: Beside): Hit[] {
  const fused = fuseRanks(lists.map((rows) => ({ channel: 'turns', weight: 1, ids: rows.map(idOf) })));
  const scores = new Map(fused.map(({ id, score }) => [id, score]));
  const valueOf = (id: string, { role }: TurnRow) =>
    (scores.get(id) ?? 0) * (role === 'user' ? 1 : OF_ASSISTANT);
  return toHits(lists.flat(), valueOf, beside);
}

function toTarget({ target, request, limit }: ChannelSearch): TurnTarget {
  const { tenantId, userId, filters, asOf, saidBy, visibleToConversation } = target;
  const scopes = request.scopes?.flatMap((scope) => toConversations(scope, userId)) ?? null;
  const { conversation_id: only } = filters;
  return {
    tenantId,
    userId,
    conversationIds: only === undefined ? scopes : (scopes ?? [only]).filter((scope) => scope === only),
    withPending: request.include_pending,
    project: filters.project ?? null,
    visibleToConversations:
      visibleToConversation === undefined
        ? null
        : [visibleToConversation, ...(userId === null ? [] : globalConversationsOf(userId))],
    until: asOf === undefined ? (saidBy ?? null) : earlier(asOf),
    limit,
  };
}

/** The scope `global` has the turns of the user's conversation of that name. */
function toConversations(scope: string, userId: string | null): readonly string[] {
  return scope === GLOBAL_SCOPE && userId !== null ? globalConversationsOf(userId) : [scope];
}
