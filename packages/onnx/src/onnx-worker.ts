// Runs one ONNX model in its own thread, because inference is CPU work and would block the event loop. Imports no
// workspace package, so that it starts without a build and without export conditions, from src/*.ts and from dist/*.js.
import { parentPort, workerData } from 'node:worker_threads';
import { loadModel } from './load-model.ts';
import type { OnnxModel, OnnxReply, OnnxRequest } from './protocol.ts';
import { LoadError, toLoadFailure } from './runtime.ts';

if (!parentPort) throw new Error('to be started as a worker thread');
const port = parentPort;

const loading = loadModel(workerData as OnnxModel).then(
  (run) => ({ run }),
  (error: unknown) => ({ load: toLoadFailure(error) }),
);

port.on('message', (request: OnnxRequest) => void answer(request));

async function answer({ id, texts }: OnnxRequest): Promise<void> {
  const model = await loading;
  if ('load' in model) return reply({ id, failure: 'LoadError', load: model.load });
  try {
    const packed = await model.run(texts);
    port.postMessage({ id, packed } satisfies OnnxReply, [packed.buffer]);
  } catch (error) {
    if (error instanceof LoadError) return reply({ id, failure: error.name, load: toLoadFailure(error) });
    // The name only: a message of the tokenizer or the runtime may quote the text.
    reply({ id, failure: error instanceof Error ? error.name : 'Error' });
  }
}

function reply(message: OnnxReply): void {
  port.postMessage(message, []);
}
