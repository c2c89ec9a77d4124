import { type AsyncSubscription, type Event, subscribe } from '@parcel/watcher';
import { join, relative, sep } from 'node:path';
import { isMemoryPath, mayHoldMemories } from './folder/walk.ts';
import { OWN_FOLDER } from './layout.ts';

export type FolderWatcher = Readonly<{ close: () => Promise<void> }>;

/**
 * Tells of paths that may have changed, from the vault's folder and with `/`. Only a hint: what is missed is found by
 * the next scan.
 *
 * A folder that is made inside of a new folder, before that is watched, is never watched. So a new folder begins the
 * watching anew, and is told of once more when that is done.
 *
 * @param options.onLost the watcher has missed something, or works no more
 */
export async function watchFolder(options: {
  root: string;
  onChange: (path: string) => void;
  onLost: (error: Error) => void;
}): Promise<FolderWatcher> {
  const newFolders = new Set<string>();
  let isClosed = false;
  let subscription: AsyncSubscription | null = await watch();
  let renewing: Promise<void> | null = null;

  function watch(): Promise<AsyncSubscription> {
    return subscribe(options.root, onEvents, { ignore: [join(options.root, OWN_FOLDER)] });
  }

  function onEvents(error: Error | null, events: readonly Event[]): void {
    if (isClosed) return;
    if (error !== null) options.onLost(error);
    for (const { type, path: absolute } of events) {
      const path = relative(options.root, absolute).split(sep).join('/');
      options.onChange(path);
      if (type === 'create' && mayHoldMemories(path) && !isMemoryPath(path)) newFolders.add(path);
    }
    if (newFolders.size > 0) renewing ??= renew();
  }

  async function renew(): Promise<void> {
    try {
      while (newFolders.size > 0) {
        const told = [...newFolders];
        newFolders.clear();
        await subscription?.unsubscribe();
        subscription = null;
        subscription = await watch();
        for (const path of told) options.onChange(path);
      }
    } catch (error) {
      options.onLost(error instanceof Error ? error : new Error(String(error)));
    } finally {
      renewing = null;
    }
  }

  return {
    async close() {
      isClosed = true;
      newFolders.clear();
      await renewing;
      await subscription?.unsubscribe();
    },
  };
}
