import { AppError } from '@factmill/errors';
import { setTimeout as delay } from 'node:timers/promises';
import { createFollower } from './follow.ts';
import { openFolder } from './folder/open-folder.ts';
import { type Counts, openSession, type VaultDeps } from './session.ts';

export type SyncResult = Counts & Readonly<{ waiting: number }>;

const LOOK_AGAIN_MS = 100;
const FOREVER_MS = 86_400_000;

/**
 * One pass: brings folder and database together and ends. `waiting`: files that are not taken over; the report in the
 * folder says why.
 *
 * @param maxMs how long files that are still being written are waited for
 * @throws AppError `vault_unavailable`; `state_conflict` while a process follows the vault, which does the same
 */
export async function syncVault(
  options: Omit<VaultDeps, 'folder'> & Readonly<{ dir: string }>,
  maxMs: number,
  signal: AbortSignal,
): Promise<SyncResult> {
  const folder = await openFolder(options.dir, options.newId);
  const session = await openSession({ ...options, folder });
  if (session === null) {
    throw new AppError(
      'state_conflict',
      'Another process follows this vault already and keeps it up to date.',
    );
  }
  try {
    const follower = createFollower(session, FOREVER_MS);
    const endAt = session.clock() + maxMs;
    while (!(await follower.round(signal)) && session.clock() < endAt) {
      await delay(LOOK_AGAIN_MS, undefined, { signal });
    }
    return { ...session.counts, waiting: session.report.problems().size + session.pending.size() };
  } finally {
    await session.close();
  }
}
