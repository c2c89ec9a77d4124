import { GLOBAL_SCOPE, type MemoryInput, type MemoryPatch, UNKNOWN_USER } from '@factmill/contracts';
import { type Actor, toConversationId } from '@factmill/database';
import { AppError } from '@factmill/errors';
import { candidateOfInput, changeMemory, unlessTaken, writeMemories, type Written } from '@factmill/memories';
import { embedJob } from '@factmill/queue';
import { enqueueSoon } from '../enqueue-soon.ts';
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

  /** Vectors follow in the background (C13). */
  async function embedLater(tenantId: string, memoryIds: readonly string[]): Promise<void> {
    if (!wantsEmbedding || memoryIds.length === 0) return;
    await enqueueSoon(deps, embedJob({ tenantId, memoryIds: [...memoryIds] }, deps.newId()));
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
      deps.database.accept.transaction((tx) =>
        changeMemory(tx, target, { patch: changes, actor, now: deps.now() }),
      ),
    );
    if (row !== undefined) await embedLater(target.tenantId, [row.id]);
    return row;
  }

  return { save, patch, embedLater, unlessTaken };
}
