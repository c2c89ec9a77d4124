import { type ChangeSignal, createChangeSignal, repeat } from '@factmill/async';
import { isAppError } from '@factmill/errors';
import { createFollower, type Follower } from './follow.ts';
import { codeOf } from './folder/error-code.ts';
import { openFolder } from './folder/open-folder.ts';
import { openSession, type Session, type VaultDeps } from './session.ts';
import { watchFolder } from './watch.ts';

export type VaultOptions = Omit<VaultDeps, 'folder'> &
  Readonly<{
    /** The folder; made when it is missing. */
    dir: string;
    scanIntervalMs: number;
    /** Says when something else in this process has used the database; null when other processes use it too. */
    signal: ChangeSignal | null;
  }>;

export type Vault = Readonly<{
  /** Ends the current round and gives the vault back. */
  close: () => Promise<void>;
}>;

const ROUND_MS = 500;
/** While files are waited for, or work is left. */
const BUSY_MS = 100;
/** After an error, and while another process holds the vault. */
const RETRY_MS = 5_000;

/**
 * Follows a vault until it is closed: edits of files are taken within two seconds, and changes of memories are written
 * to their files. One process at a time follows a vault; others wait for their turn.
 *
 * @throws AppError `vault_unavailable` when the folder cannot be used
 */
export async function openVault(options: VaultOptions): Promise<Vault> {
  const { logger, newId, scanIntervalMs } = options;
  const folder = await openFolder(options.dir, newId);
  const deps: VaultDeps = { ...options, folder };
  const wake = createChangeSignal();
  const unsubscribe = options.signal?.subscribe(wake.changed);
  let session: Session | null = null;
  let follower: Follower | null = null;
  let isWaiting = false;
  let trouble: string | null = null;

  const watcher = await watchFolder({
    root: folder.root,
    onChange(path) {
      follower?.touch(path);
      wake.changed();
    },
    onLost(error) {
      logger.warn(
        { code: codeOf(error) ?? 'unknown' },
        'the vault watcher has missed changes; a scan follows',
      );
      follower?.scanSoon();
      wake.changed();
    },
  }).catch((error: unknown) => {
    logger.warn(
      { code: codeOf(error) ?? 'unknown' },
      'the vault cannot be watched, so it is scanned every second',
    );
    return null;
  });
  const everyMs = watcher === null ? Math.min(1_000, scanIntervalMs) : scanIntervalMs;

  async function round(signal: AbortSignal) {
    session ??= await openSession(deps);
    if (session === null) {
      if (!isWaiting)
        logger.info({ vaultId: folder.vaultId }, 'another process follows the vault; waiting for it');
      isWaiting = true;
      return RETRY_MS;
    }
    if (follower === null) {
      follower = createFollower(session, everyMs);
      logger.info({ vaultId: folder.vaultId, files: session.agreements.count() }, 'the vault is followed');
    }
    isWaiting = false;
    const isDone = await follower.round(signal);
    if (trouble !== null) logger.info({ vaultId: folder.vaultId }, 'the vault is followed again');
    trouble = null;
    if (!isDone) return BUSY_MS;
    return options.signal === null ? ROUND_MS : { idleMs: everyMs };
  }

  /** What a process knows may be wrong after an error, so it begins anew. */
  async function recover(cause: unknown): Promise<void> {
    const code = isAppError(cause) ? cause.code : (codeOf(cause) ?? 'internal');
    if (code !== trouble) {
      logger.warn(
        { code, message: isAppError(cause) ? cause.message : undefined },
        'the vault is not followed now',
      );
    }
    trouble = code;
    const failed = session;
    session = null;
    follower = null;
    await failed?.close().catch(() => undefined);
  }

  const rounds = repeat({
    firstMs: 0,
    everyMs: ROUND_MS,
    async round(signal) {
      try {
        return await round(signal);
      } catch (error) {
        if (signal.aborted) return undefined;
        await recover(error);
        return RETRY_MS;
      }
    },
    onError: () => undefined,
    signal: options.signal === null ? null : wake,
  });

  return {
    async close() {
      await rounds.close();
      unsubscribe?.();
      await watcher?.close();
      await session?.close().catch(() => undefined);
    },
  };
}
