// Runs the embedded database on its own thread: the engine is WebAssembly and blocks while a statement runs, which
// would stall every request and every lock renewal of the process. Imports only what it runs.
import { parentPort, workerData } from 'node:worker_threads';
import { openEmbeddedEngine } from './embedded-engine.ts';
import type { FromWorker, ToWorker, WorkerTask } from './worker-messages.ts';
import { startWireServer } from './wire-server.ts';

const { directory, password } = workerData as WorkerTask;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
const send = (message: FromWorker) => parentPort?.postMessage(message);

const engine = await openEmbeddedEngine(directory);
const server = await startWireServer({ run: engine.run, greeting: engine.greeting, password });
parentPort?.once('message', (_message: ToWorker) => {
  void (async () => {
    await server.close();
    await engine.close();
    send({ kind: 'closed' });
  })();
});
send({ kind: 'listening', port: server.port });
