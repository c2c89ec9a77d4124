import type { MemoryInput, MemoryPatch } from '@factmill/contracts';
import {
  type DatabasePool,
  deleteMemories,
  ensureTenant,
  eraseSome,
  finishErasure,
  listMemories,
  listMemoryVersions,
  type ListedMemory,
  requestErasure,
  toConversationId,
} from '@factmill/database';
import { listMemoriesQuerySchema } from '@factmill/contracts';
import { candidateOfInput, changeMemory, writeMemories } from '@factmill/memories';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { v7 as newId } from 'uuid';
import { createFollower, type Follower } from './follow.ts';
import { openFolder } from './folder/open-folder.ts';
import { isMemoryPath } from './folder/walk.ts';
import { openSession, type Session, type VaultDeps } from './session.ts';

/** Longer than any waiting of a follower. */
const ROUND_MS = 1_100;
const MAX_ROUNDS = 60;
const OTHERS = { actor: 'test', extractionId: null };

export type Stand = Awaited<ReturnType<typeof createStand>>;

/** A vault with a tenant and a clock of its own. Nothing happens in it until `sync`. */
export async function createStand(
  database: DatabasePool,
  maxFiles = 1_000,
  wrap: (deps: VaultDeps) => VaultDeps = (deps) => deps,
) {
  const tenantId = await ensureTenant(database, randomUUID(), newId());
  const dir = await mkdtemp(join(tmpdir(), 'factmill-vault-'));
  const log: string[] = [];
  let ms = 0;
  let session: Session | null = null;
  let follower: Follower | null = null;

  async function open(): Promise<Session | null> {
    return openSession(
      wrap({
        folder: await openFolder(dir, () => newId()),
        tenantId,
        maxFiles,
        database,
        wantsEmbedding: false,
        embedLater: async () => undefined,
        newId: () => newId(),
        now: () => new Date(),
        clock: () => ms,
        logger: { info: () => undefined, warn: (...args: unknown[]) => log.push(JSON.stringify(args)) },
      }),
    );
  }

  async function round(): Promise<boolean> {
    session ??= await open();
    if (session === null) throw new Error('another process holds the vault');
    follower ??= createFollower(session, 0);
    ms += ROUND_MS;
    return follower.round(new AbortController().signal);
  }

  const at = (path: string) => join(dir, path);
  const ofUser = (userId: string) => ({ tenantId, userId });

  return {
    dir,
    tenantId,
    at,
    open,
    round,
    session: () => session,
    /** Rounds until everything is done. */
    async sync(): Promise<void> {
      for (let rounds = 0; rounds < MAX_ROUNDS; rounds += 1) {
        if (await round()) return;
      }
      throw new Error(`the vault does not come to rest: ${session?.pending.paths().join(', ')}`);
    },
    /** As if the process had been killed; its lease has run out. */
    async crash(): Promise<void> {
      session = null;
      follower = null;
      await database.query(
        `update vaults set leased_until = now() - interval '1 second' where tenant_id = $1::uuid`,
        [tenantId],
      );
    },
    async save(userId: string, input: MemoryInput): Promise<string> {
      const written = await database.transaction((tx) =>
        writeMemories(tx, {
          ...ofUser(userId),
          conversationId: toConversationId(input.scope ?? 'global'),
          memories: [candidateOfInput(input, new Date())],
          actor: OTHERS,
          wantsEmbedding: false,
          newId: () => newId(),
          now: new Date(),
        }),
      );
      return written[0]?.id ?? '';
    },
    change: (userId: string, id: string, patch: MemoryPatch) =>
      database.transaction((tx) =>
        changeMemory(tx, { ...ofUser(userId), id }, { patch, actor: OTHERS, now: new Date() }),
      ),
    remove: (userId: string, id: string) =>
      deleteMemories(database, { ...ofUser(userId), id, key: null, category: null }, OTHERS),
    async erase(userId: string): Promise<void> {
      const request = { id: newId(), ...ofUser(userId), requestedBy: 'test' };
      await requestErasure(database, request);
      for (let rows = 1; rows > 0;) rows = await eraseSome(database, request, 500);
      if (!(await finishErasure(database, request))) throw new Error('something is left');
    },
    versions: (userId: string, id: string) => listMemoryVersions(database, { ...ofUser(userId), id }),
    async memories(userId: string): Promise<ListedMemory[]> {
      return listMemories(database, {
        ...ofUser(userId),
        query: listMemoriesQuerySchema.parse({ limit: '200' }),
        pattern: null,
        after: null,
      });
    },
    async write(path: string, text: string): Promise<void> {
      await mkdir(dirname(at(path)), { recursive: true });
      await writeFile(at(path), text);
    },
    read: (path: string) => readFile(at(path), 'utf8'),
    /** Paths of the files that hold memories. */
    async files(): Promise<string[]> {
      return (await allFiles(dir)).filter(isMemoryPath).toSorted();
    },
    async conflicts(): Promise<string[]> {
      return (await allFiles(dir)).filter((path) => path.split('/')[1] === 'conflicts').toSorted();
    },
    report: () => readFile(at('factmill-report.md'), 'utf8'),
    async close(): Promise<void> {
      await session?.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function allFiles(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1));
}

/** The only file of the vault. */
export async function onlyFile(stand: Stand): Promise<string> {
  const files = await stand.files();
  if (files.length !== 1 || files[0] === undefined) throw new Error(`there are ${files.length} files`);
  return files[0];
}

/** The only memory of alice. */
export async function onlyMemory(stand: Stand): Promise<ListedMemory> {
  const memories = await stand.memories('alice');
  if (memories.length !== 1 || memories[0] === undefined)
    throw new Error(`there are ${memories.length} memories`);
  return memories[0];
}

/** Replaces a part of a file, as an editor does. */
export async function edit(stand: Stand, path: string, from: string | RegExp, to: string): Promise<void> {
  const text = await stand.read(path);
  if (text.replace(from, to) === text) throw new Error('nothing to replace');
  await stand.write(path, text.replace(from, to));
}

/** What was done to a memory, and by whom. */
export async function actorsOf(stand: Stand, id: string): Promise<string[]> {
  return (await stand.versions('alice', id)).map(({ operation, actor }) => `${operation} ${actor}`);
}
