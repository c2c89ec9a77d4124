// Creates the files of an embedded database in a process of its own: this takes 350 MB, of which a thread would leave
// 100 MB with its process. Imports only what it runs. Usage: create-database-process.ts <folder>
import { openEmbeddedEngine } from './embedded-engine.ts';
import { syncTree } from './sync-tree.ts';
import type { FromCreator } from './worker-messages.ts';

const send = (message: FromCreator) => process.send?.(message, () => process.disconnect());

const orphaned = () => process.exit(1);
process.once('disconnect', orphaned);
try {
  const directory = process.argv[2] ?? '';
  await (await openEmbeddedEngine(directory)).close();
  // The files of a new database are copied without fsync, and later commits rely on them.
  syncTree(directory);
  process.off('disconnect', orphaned);
  send({ kind: 'created' });
} catch (error) {
  process.off('disconnect', orphaned);
  send({ kind: 'failed', error });
}
