import { GLOBAL_SCOPE } from '@factmill/contracts';
import { fuseRanks } from '@factmill/ranking';
import type { Channel, ChannelSearch, Hit } from './channel.ts';
import { findNearestTurns, findTurnsByWords, type TurnTarget } from './turn-parts.ts';
import { findUnindexedTurns } from './unindexed-turns.ts';
import { idOf, mayBeTurns, type TurnRow, turnToRow } from './turn-row.ts';

/** How much what an assistant said counts beside what the user said in words that are as near. */
const OF_ASSISTANT = 0.75;

/**
 * Stored turns, in the form of memories: by meaning and by words, put together by rank, those of users before those of
 * assistants. Its target has no scope: the conversations are those of the request.
 */
export const turnsChannel: Channel = async (search) => {
  const { database, request, settings, terms } = search;
  if (!(settings.turns || request.include_pending) || !mayBeTurns(search.target.filters)) return null;
  const target = toTarget(search);
  const [near, withWords, unindexed] = await Promise.all([
    settings.turns ? findNear(search, target) : [],
    settings.turns ? findTurnsByWords(database, target, terms) : [],
    // A search that does not ask for turns does without the last few seconds.
    request.include_turns || request.include_pending
      ? findUnindexedTurns(database, { ...target, pendingOnly: request.include_turns !== true }, terms)
      : [],
  ]);
  return fuse([near, [...withWords, ...unindexed]]);
};

async function findNear({ database, queryVector }: ChannelSearch, target: TurnTarget): Promise<TurnRow[]> {
  const { userId } = target;
  // Those of all users are found by their words only.
  if (userId === null) return [];
  const vector = await queryVector();
  return vector === null ? [] : findNearestTurns(database, { ...target, userId }, vector);
}

/** One hit for each turn: by the best of its parts. */
function fuse(lists: readonly (readonly TurnRow[])[]): Hit[] {
  const turns = new Map<string, TurnRow>();
  for (const row of lists.flat()) {
    const id = idOf(row);
    if (!turns.has(id)) turns.set(id, row);
  }
  const fused = fuseRanks(lists.map((rows) => ({ channel: 'turns', weight: 1, ids: rows.map(idOf) })));
  return fused
    .flatMap(({ id, score }) => {
      const row = turns.get(id);
      if (row === undefined) return [];
      const { conversationId, messageId, role, pending } = row;
      const memory = turnToRow(row);
      const value = role === 'user' ? score : score * OF_ASSISTANT;
      return [{ row: memory, value, turn: { conversationId, messageId, role, pending, memory } }];
    })
    .toSorted((a, b) => b.value - a.value);
}

function toTarget({ target, request, limit }: ChannelSearch): TurnTarget {
  const { tenantId, userId, filters, asOf, seenFrom } = target;
  const scopes = request.scopes?.filter((scope) => scope !== GLOBAL_SCOPE) ?? null;
  const { conversation_id: only } = filters;
  return {
    tenantId,
    userId,
    conversationIds: only === undefined ? scopes : (scopes ?? [only]).filter((scope) => scope === only),
    withPending: request.include_pending,
    project: filters.project ?? null,
    seenFrom: seenFrom ?? null,
    until: asOf === undefined ? null : earlier(asOf.validAt, asOf.knownAt),
    limit,
  };
}

function earlier(left: Date, right: Date): Date {
  return left < right ? left : right;
}
