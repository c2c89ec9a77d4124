import { GLOBAL_SCOPE, type ImportedItem, type ImportItem, stripInvisible } from '@factmill/contracts';
import {
  type Actor,
  appendAudit,
  type Database,
  noteImportedMemories,
  type Sql,
  takeImportedItems,
  toConversationId,
} from '@factmill/database';
import { type Candidate, screenToolSave } from '@factmill/extraction';
import { createHash } from 'node:crypto';
import { candidateOfInput, contentOfFields } from './candidate-of-input.ts';
import type { MemoryToWrite, Written } from './write-request.ts';
import { writeMemories } from './write-memories.ts';

export type ImportRequest = Readonly<{
  tenantId: string;
  userId: string;
  /** Name of where the items come from; part of their identity. */
  source: string;
  items: readonly ImportItem[];
  /** Says what would happen, and changes nothing. */
  dryRun: boolean;
  actor: Actor;
  /** Of the request that asks for it, if there is one. */
  requestId?: string | null;
  wantsEmbedding: boolean;
  newId: () => string;
  now: Date;
}>;

export type Imported = Readonly<{
  /** In the order of the items. */
  results: ImportedItem[];
  /** Memories that wait for a vector. */
  toEmbed: readonly string[];
}>;

/** Rolls a dry run back. */
class Rehearsed extends Error {
  readonly imported: Imported;

  constructor(imported: Imported) {
    super('a dry run');
    this.imported = imported;
  }
}

/**
 * Imports memories for a user in one transaction, by the one writer. Each item is imported once in its life, by the name
 * of its source and its id there, whatever has become of its memory; items are screened like what a model saves.
 */
export async function importMemories(database: Database, request: ImportRequest): Promise<Imported> {
  try {
    return await database.transaction(
      async (tx) => {
        const imported = await importIn(tx, request);
        if (request.dryRun) throw new Rehearsed(imported);
        await noteInAudit(tx, request, imported);
        return imported;
      },
      { maxAttempts: 3 },
    );
  } catch (error) {
    if (error instanceof Rehearsed) return error.imported;
    throw error;
  }
}

/** Nothing, when everything was known. */
async function noteInAudit(tx: Sql, request: ImportRequest, { results }: Imported): Promise<void> {
  const counts = Object.fromEntries(
    [...Map.groupBy(results, ({ status }) => status)].map(([status, of]) => [status, of.length]),
  );
  if (counts['known'] === results.length) return;
  const { tenantId, userId, requestId } = request;
  await appendAudit(tx, {
    tenantId,
    actor: request.actor.actor,
    requestId: requestId ?? null,
    action: 'memories.imported',
    target: { kind: 'user', id: userId },
    userId,
    counts,
  });
}

type Fresh = Readonly<{ place: number; hash: string; scope: string; memory: MemoryToWrite }>;

async function importIn(tx: Sql, request: ImportRequest): Promise<Imported> {
  const { items } = request;
  const screened = items.map((item) => ({ item, refusal: refusalOf(item), hash: hashOf(item.id) }));
  const taken = new Set(
    await takeImportedItems(
      tx,
      request,
      screened.flatMap(({ refusal, hash }) => (refusal === null ? [hash] : [])),
    ),
  );
  const results: ImportedItem[] = screened.map(({ item, refusal }) =>
    refusal === null
      ? { id: item.id, status: 'known', memory_id: null }
      : { id: item.id, status: 'refused', memory_id: null, reason: refusal },
  );
  const fresh = screened.flatMap(({ item, refusal, hash }, place): Fresh[] => {
    // An item that comes twice in one request is taken once.
    if (refusal !== null || !taken.delete(hash)) return [];
    return [{ place, hash, scope: item.scope ?? GLOBAL_SCOPE, memory: toMemory(item, request) }];
  });
  const written = await writeFresh(tx, request, fresh);
  for (const { place, id, status } of written) {
    results[place] = { id: items[place]?.id ?? '', status, memory_id: request.dryRun ? null : id };
  }
  return {
    results,
    toEmbed: written.flatMap(({ id, pendingContent }) => (pendingContent === null ? [] : (id ?? []))),
  };
}

async function writeFresh(
  tx: Sql,
  request: ImportRequest,
  fresh: readonly Fresh[],
): Promise<(Written & Readonly<{ place: number }>)[]> {
  const all: (Written & Readonly<{ place: number }>)[] = [];
  for (const [scope, group] of Map.groupBy(fresh, (item) => item.scope)) {
    const written = await writeMemories(tx, {
      tenantId: request.tenantId,
      userId: request.userId,
      conversationId: toConversationId(scope),
      memories: group.map(({ memory }) => memory),
      actor: request.actor,
      wantsEmbedding: request.wantsEmbedding,
      newId: request.newId,
      now: request.now,
    });
    const outcomes = group.flatMap(({ place, hash }, index) => {
      const outcome = written[index];
      return outcome === undefined ? [] : [{ ...outcome, place, hash }];
    });
    await noteImportedMemories(
      tx,
      request,
      outcomes.flatMap(({ hash, id }) => (id === null ? [] : [{ hash, memoryId: id }])),
    );
    all.push(...outcomes);
  }
  return all;
}

/** Why an item must not be stored, as for what a model saves; null when it may. */
function refusalOf(item: ImportItem): string | null {
  const { key, value, content, question, answer, category, source_context: context } = item;
  const texts = [value, content, question, answer, category, context];
  const visible = texts.map((text) => (text === undefined ? undefined : stripInvisible(text)));
  return screenToolSave({
    key,
    texts: [...visible, ...texts],
    statement: stripInvisible(contentOfFields(item)),
  });
}

/** The memory of an item, stated when the item says, and marked with where it comes from. */
function toMemory(item: ImportItem, { source, now }: ImportRequest): MemoryToWrite {
  const { id: _, stated_at: statedAt, kind, ...input } = item;
  const memory = candidateOfInput({ ...input, source: input.source ?? source }, now);
  const { candidate } = memory;
  const stated = statedAt === undefined ? candidate.statedAt : new Date(statedAt);
  const isEvent = kind === 'event' && candidate.kind === 'note';
  return {
    ...memory,
    candidate: {
      ...candidate,
      kind: isEvent ? 'event' : candidate.kind,
      statedAt: stated,
      ...(isEvent ? { origin: originOfEvent(stated) } : {}),
      ...(input.valid_from === undefined && statedAt !== undefined ? { validFrom: stated } : {}),
    },
    metadata: { ...memory.metadata, imported_from: source },
  };
}

/** The day as the source has it, which is why time zones do not matter. */
function originOfEvent(stated: Date): NonNullable<Candidate['origin']> {
  return { channel: null, sender: null, eventDate: stated.toISOString().slice(0, 10), sourceTokens: null };
}

function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}
