// Cuts documents in a thread of its own, so that a long one does not hold up other requests.
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { createCutDocument } from './cut-document.ts';
import type { CutReply, CutterData } from './document-cutter.ts';

const BELOW_REQUESTS = 10;

if (!parentPort) throw new Error('to be started as a worker thread');
const port = parentPort;
// On Linux each thread has its own priority, so requests go first.
if (process.platform === 'linux') setPriority(0, BELOW_REQUESTS);
const { config, maxChunks } = workerData as CutterData;
const cut = createCutDocument(config, maxChunks);

port.on('message', (content: string) => {
  try {
    port.postMessage({ document: cut(content) } satisfies CutReply);
  } catch (error) {
    // Only the name: a message may quote the text.
    port.postMessage({ failure: error instanceof Error ? error.name : 'Error' } satisfies CutReply);
  }
});
