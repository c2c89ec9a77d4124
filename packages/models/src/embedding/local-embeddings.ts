import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inThread } from '../worker/in-thread.ts';
import { createModelWorker, type ModelWorker } from '../worker/model-worker.ts';
import { LOCAL_EMBEDDING_PROFILE } from './embedding-profiles.ts';
import type { EmbeddingSource } from './embedding-source.ts';

/**
 * The model costs time and memory per token, and its tokenizer per character squared: 2,000 characters take about
 * 0.15 s, 20,000 a whole second. A memory is a sentence; characters beyond this limit are ignored.
 */
const MAX_CHARACTERS = 2000;

/**
 * Small, so that callers take turns often and memory stays flat. Measured per short text: 13 ms alone, 5 ms in
 * batches of 8, 4 ms in batches of 32, which take more memory for the intermediate tensors.
 */
const BATCH_SIZE = 8;

/**
 * Without limits the heap of the model's thread grew from 29 to 171 MB before V8 collected garbage. With them the
 * process grows by 125 MB when the model is loaded, by 26 MB over the next 200 calls, and by 4 MB over 1,800 more;
 * the number of tensors stays the same. Weights and tensors are outside the limits.
 */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 8 };

/** Vectors from the model that comes with Factmill; English, 512 dimensions, nothing is downloaded. */
export function createLocalEmbeddings(thread: ModelWorker = createLocalThread()): EmbeddingSource {
  const { dimensions } = LOCAL_EMBEDDING_PROFILE;
  return {
    profile: () => LOCAL_EMBEDDING_PROFILE,
    batchSize: BATCH_SIZE,
    embedBatch: async (texts, { signal }) => {
      const cut = texts.map((text) => text.slice(0, MAX_CHARACTERS));
      const packed = await thread.run(cut, signal);
      return texts.map((_, index) => packed.subarray(index * dimensions, (index + 1) * dimensions));
    },
    load: thread.load,
    isLoaded: thread.isLoaded,
    close: thread.close,
  };
}

/** The thread of the model that comes with Factmill. */
export function createLocalThread(workerFile: string = siblingFile('local-embedding-worker')): ModelWorker {
  return createModelWorker({
    start: inThread({ file: workerFile, resourceLimits: RESOURCE_LIMITS }),
    warmUp: ['load'],
    name: 'The local embedding model',
    code: 'embedding_unavailable',
  });
}

/** The module beside this one, in the same form: `.ts` from sources, `.js` from a build. */
function siblingFile(name: string): string {
  const self = fileURLToPath(import.meta.url);
  return fileURLToPath(new URL(`${name}${extname(self)}`, import.meta.url));
}
