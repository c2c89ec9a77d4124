// Runs the embedded database on its own thread: the engine is WebAssembly and blocks while a statement runs, which
// would stall every request and every lock renewal of the process. Imports only what it runs.
import { parentPort, workerData } from 'node:worker_threads';
import { openEmbeddedEngine } from './embedded-engine.ts';
import { syncTree } from './sync-tree.ts';
import type { FromWorker, ToWorker, WorkerTask } from './worker-messages.ts';
import { startWireServer } from './wire-server.ts';

const task = workerData as WorkerTask;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
const send = (message: FromWorker) => parentPort?.postMessage(message);

if (task.kind === 'create') {
  await (await openEmbeddedEngine(task.directory)).close();
  // The files of a new database are copied without fsync, and later commits rely on them.
  syncTree(task.directory);
  send({ kind: 'created' });
  parentPort?.close();
} else {
  const engine = await openEmbeddedEngine(task.directory);
  const server = await startWireServer({
    run: engine.run,
    greeting: engine.greeting,
    password: task.password,
  });
  parentPort?.once('message', (_message: ToWorker) => {
    void (async () => {
      await server.close();
      await engine.close();
      send({ kind: 'closed' });
    })();
  });
  send({ kind: 'listening', port: server.port });
}
