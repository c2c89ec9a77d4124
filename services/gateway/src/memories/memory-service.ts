import { GLOBAL_SCOPE, type MemoryInput, type MemoryPatch, UNKNOWN_USER } from '@factmill/contracts';
import {
  type Actor,
  findMemory,
  lockUserMemories,
  type MemoryChanges,
  type MemoryRow,
  toConversationId,
  updateMemory,
  violatedConstraint,
} from '@factmill/database';
import { AppError, isAppError } from '@factmill/errors';
import { contentHash } from '@factmill/extraction';
import { candidateOfInput, contentOfFields, expiryOf, writeMemories, type Written } from '@factmill/memories';
import type { RouteDeps } from '../route-deps.ts';

export type SaveItem = Readonly<{ userId: string; input: MemoryInput }>;
type Target = Readonly<{ tenantId: string; userId: string | null; id: string }>;

/** Comparing this much text with stored memories takes 10 ms of a processor; other requests run between slices. */
const MAX_SLICE_CHARACTERS = 250_000;

/** The numbers in slices with at most this much text, or with a single one. */
function inSlices(places: readonly number[], lengthOf: (place: number) => number): number[][] {
  const slices: number[][] = [];
  let left = 0;
  for (const place of places) {
    left -= lengthOf(place);
    const slice = slices.at(-1);
    if (slice !== undefined && left >= 0) slice.push(place);
    else {
      slices.push([place]);
      left = MAX_SLICE_CHARACTERS - lengthOf(place);
    }
  }
  return slices;
}

/** Memories created, changed and restored by hand, through the same writer as extracted ones (B10). */
export function createMemoryService(deps: RouteDeps) {
  const wantsEmbedding = deps.config.embedding.provider !== 'none';

  /** Vectors follow in the background (C13); when the queue is down, the extractor finds the missing ones. */
  async function embedLater(tenantId: string, memoryIds: readonly string[]): Promise<void> {
    if (!wantsEmbedding || memoryIds.length === 0) return;
    try {
      await deps.queues.enqueue([
        { name: 'embed', data: { tenantId, memoryIds: [...memoryIds] }, jobId: `embed-${deps.newId()}` },
      ]);
    } catch (error) {
      deps.logger.warn(
        { code: isAppError(error) ? error.code : 'internal' },
        'vectors are left to the sweeper',
      );
    }
  }

  /** Saves everything in one transaction; results in order, `skipped` for the unknown user. */
  async function save(tenantId: string, items: readonly SaveItem[], actor: Actor): Promise<Written[]> {
    const now = deps.now();
    const candidates = items.map(({ input }) => candidateOfInput(input, now));
    const outdated = candidates.findIndex(({ expiresAt }) => expiresAt != null && expiresAt <= now);
    if (outdated >= 0) {
      const field = items.length === 1 ? 'expires_at' : `memories.${outdated}.expires_at`;
      throw new AppError('invalid_request', `${field}: must be in the future.`, {
        fields: [{ field, message: 'must be in the future' }],
      });
    }
    const results: Written[] = items.map(() => ({ status: 'skipped', id: null, pendingContent: null }));
    // All batches lock users in the same order, so that two of them never wait for each other.
    const users = [...new Set(items.map((item) => item.userId))]
      .filter((user) => user !== UNKNOWN_USER)
      .sort();
    /** Each scope of a user is compared separately. */
    const scopesOf = (userId: string) => {
      const places = items.flatMap((item, place) => (item.userId === userId ? [place] : []));
      const byScope = Map.groupBy(places, (place) => items[place]?.input.scope ?? GLOBAL_SCOPE);
      return [...byScope].flatMap(([scope, of]) =>
        inSlices(of, (place) => candidates[place]?.candidate.content.length ?? 0).map((slice) => ({
          userId,
          scope,
          places: slice,
        })),
      );
    };
    const database = items.length > 1 ? deps.database.batch : deps.database.accept;
    await database.transaction(async (tx) => {
      for (const { userId, scope, places } of users.flatMap(scopesOf)) {
        const written = await writeMemories(tx, {
          tenantId,
          userId,
          conversationId: toConversationId(scope),
          memories: places.flatMap((place) => candidates[place] ?? []),
          actor,
          wantsEmbedding,
          newId: deps.newId,
          now,
        });
        for (const [index, place] of places.entries()) {
          const result = written[index];
          if (result !== undefined) results[place] = result;
        }
      }
    });
    await embedLater(
      tenantId,
      results.flatMap((result) => (result.pendingContent === null || result.id === null ? [] : [result.id])),
    );
    return results;
  }

  async function patch(target: Target, changes: Omit<MemoryPatch, 'user_id'>, actor: Actor) {
    const row = await unlessTaken(() =>
      deps.database.accept.transaction(async (tx) => {
        const current = await findMemory(tx, target);
        if (current === undefined) return undefined;
        await lockUserMemories(tx, target.tenantId, current.userId);
        const locked = await findMemory(tx, target);
        if (locked === undefined) return undefined;
        const updated = await updateMemory(tx, target, toChanges(changes, locked, deps.now()), actor);
        if (updated === undefined) {
          throw new AppError(
            'memory_conflict',
            'This memory is not current any more; restore it before changing it.',
          );
        }
        return updated;
      }),
    );
    if (row !== undefined) await embedLater(target.tenantId, [row.id]);
    return row;
  }

  return { save, patch, embedLater, unlessTaken };
}

/** Runs a change; a unique violation (another current memory has the same key or text) becomes a conflict. */
async function unlessTaken<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (violatedConstraint(error)?.startsWith('memories_') === true) {
      throw new AppError('memory_conflict', 'Another current memory already has this key, question or text.');
    }
    throw error;
  }
}

/** @throws AppError `invalid_request` when a field does not fit the kind of memory */
function toChanges(patch: Omit<MemoryPatch, 'user_id'>, current: MemoryRow, now: Date): MemoryChanges {
  const { content, value, question, answer, expires_at, expires_in_days, valid_from, ...plain } = patch;
  if (value !== undefined && current.key === null) throw misfit('value', 'belongs to memories with a key');
  if ((question !== undefined || answer !== undefined) && current.kind !== 'qa') {
    throw misfit(question === undefined ? 'answer' : 'question', 'belongs to question and answer memories');
  }
  const rewritten =
    content !== undefined || value !== undefined || question !== undefined || answer !== undefined;
  const text = contentOfFields({
    content,
    key: current.key,
    value: value ?? current.value,
    question: question ?? current.question,
    answer: answer ?? current.answer,
  });
  const given = Object.fromEntries(Object.entries(plain).filter(([, field]) => field !== undefined));
  return {
    ...given,
    ...(value === undefined ? {} : { value }),
    ...(question === undefined ? {} : { question, subject_hash: contentHash(question) }),
    ...(answer === undefined ? {} : { answer }),
    ...(rewritten ? { content: text, content_hash: contentHash(text) } : {}),
    ...(expires_at === undefined && expires_in_days === undefined
      ? {}
      : { expires_at: expiryOf({ expires_at, expires_in_days }, now) }),
    ...(valid_from === undefined ? {} : { valid_from: new Date(valid_from) }),
  };
}

function misfit(field: string, message: string): AppError {
  return new AppError('invalid_request', `${field}: ${message}.`, { fields: [{ field, message }] });
}
