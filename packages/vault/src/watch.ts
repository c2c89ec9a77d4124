import { type AsyncSubscription, subscribe } from '@parcel/watcher';
import { join, relative, sep } from 'node:path';
import { OWN_FOLDER } from './layout.ts';

/**
 * Tells of paths that may have changed, from the vault's folder and with `/`. Only a hint: what is missed is found by
 * the next scan.
 *
 * @param options.onLost the watcher has missed something, or works no more
 */
export function watchFolder(options: {
  root: string;
  onChange: (path: string) => void;
  onLost: (error: Error) => void;
}): Promise<AsyncSubscription> {
  return subscribe(
    options.root,
    (error, events) => {
      if (error !== null) options.onLost(error);
      for (const { path } of events) options.onChange(relative(options.root, path).split(sep).join('/'));
    },
    { ignore: [join(options.root, OWN_FOLDER)] },
  );
}
