// Runs one ONNX model in a process of its own: inference is CPU work that would block the event loop, and a fault of the
// native library ends its process. Imports no workspace package, so that it starts without a build and without export
// conditions, from src/*.ts and from dist/*.js.
import { loadModel } from './load-model.ts';
import type { OnnxModel, OnnxReply, OnnxRequest } from './protocol.ts';
import { LoadError, toLoadFailure } from './runtime.ts';

const [, , argument] = process.argv;
if (process.send === undefined || argument === undefined) throw new Error('to be started with an OnnxModel');

const loading = loadModel(JSON.parse(argument) as OnnxModel).then(
  (run) => ({ run }),
  (error: unknown) => ({ load: toLoadFailure(error) }),
);

process.on('message', (request: OnnxRequest) => void answer(request));
// The program that started it has ended. Not `exit`, which would wait for the native call that may run.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

async function answer({ id, texts }: OnnxRequest): Promise<void> {
  const model = await loading;
  if ('load' in model) return reply({ id, failure: 'LoadError', load: model.load });
  try {
    reply({ id, packed: await model.run(texts) });
  } catch (error) {
    if (error instanceof LoadError) return reply({ id, failure: error.name, load: toLoadFailure(error) });
    // The name only: a message of the tokenizer or the runtime may quote the text.
    reply({ id, failure: error instanceof Error ? error.name : 'Error' });
  }
}

function reply(message: OnnxReply): void {
  process.send?.(message);
}
