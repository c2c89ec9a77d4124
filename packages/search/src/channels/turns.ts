import { GLOBAL_SCOPE } from '@factmill/contracts';
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
 * assistants. A turn that one of the memories found rests on counts for that memory and is left out itself. Asked after
 * the other channels. Its target has no scope: the conversations are those of the request.
 */
export async function searchTurns(
  search: ChannelSearch,
  found: readonly ChannelHits[],
): Promise<readonly Hit[] | null> {
  const { database, request, settings, terms, first, queryVector } = search;
  if (!(settings.turns || request.include_pending) || !mayBeTurns(search.target.filters)) return null;
  const target = toTarget(search);
  const memories = new Map(found.flatMap(({ hits }) => hits.map(({ row }) => [row.id, row])));
  const memoryIds = [...memories.keys()];
  const findIndexed = async (): Promise<FoundPart[]> => {
    if (!settings.turns || !(await first.mayHaveTurns())) return [];
    // Those of all users are found by their words only.
    const asked = target.userId === null ? null : await queryVector();
    const vector =
      asked === null
        ? null
        : { ...asked.search, minSimilarity: Math.max(asked.search.minSimilarity, asked.cutoff) };
    const parts = await findTurnParts(database, target, { vector, terms, memoryIds });
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
  return fuse([listOf('near'), [...listOf('words'), ...unindexed]], memories);
}

/** One hit for each turn: by the best of its parts. */
function fuse(lists: readonly (readonly TurnRow[])[], memories: ReadonlyMap<string, CandidateRow>): Hit[] {
  const turns = new Map<string, TurnRow>();
  for (const row of lists.flat()) {
    const id = idOf(row);
    if (!turns.has(id)) turns.set(id, row);
  }
  const fused = fuseRanks(lists.map((rows) => ({ channel: 'turns', weight: 1, ids: rows.map(idOf) })));
  return fused
    .flatMap(({ id, score }): Hit[] => {
      const turn = turns.get(id);
      if (turn === undefined) return [];
      const { conversationId, messageId, role, pending, memoryId } = turn;
      const value = role === 'user' ? score : score * OF_ASSISTANT;
      const memory = memoryId === null ? undefined : memories.get(memoryId);
      if (memory !== undefined) return [{ row: memory, value }];
      const row = turnToRow(turn);
      return [{ row, value, turn: { conversationId, messageId, role, pending, memory: row } }];
    })
    .toSorted((a, b) => b.value - a.value);
}

function toTarget({ target, request, limit }: ChannelSearch): TurnTarget {
  const { tenantId, userId, filters, asOf, saidBy, seenFrom } = target;
  const scopes = request.scopes?.filter((scope) => scope !== GLOBAL_SCOPE) ?? null;
  const { conversation_id: only } = filters;
  return {
    tenantId,
    userId,
    conversationIds: only === undefined ? scopes : (scopes ?? [only]).filter((scope) => scope === only),
    withPending: request.include_pending,
    project: filters.project ?? null,
    seenFrom: seenFrom ?? null,
    until: asOf === undefined ? (saidBy ?? null) : earlier(asOf),
    limit,
  };
}
