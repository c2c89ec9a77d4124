import type { EmbeddingConfig } from '@factmill/config';
import { MAX_CHUNKS_PER_USER } from '@factmill/database';
import { AppError } from '@factmill/errors';
import { chunkingOf } from '@factmill/models/chunking';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { CutDocument } from './cut-document.ts';

export type CutterData = Readonly<{ config: EmbeddingConfig; maxChunks: number }>;
export type CutReply = Readonly<{ document: CutDocument }> | Readonly<{ failure: string }>;

export type DocumentCutter = Readonly<{
  /** The name of the method: texts with the same name were cut alike. */
  chunking: string;
  /** @throws AppError `overloaded` when too many documents wait, `shutting_down` after `close` */
  cut: (content: string) => Promise<CutDocument>;
  close: () => Promise<void>;
}>;

/** Documents that may wait; the longest take seconds each. */
const MAX_WAITING = 16;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 48, maxYoungGenerationSizeMb: 8 };

type Waiting = Readonly<{
  content: string;
  resolve: (document: CutDocument) => void;
  reject: (error: AppError) => void;
}>;

/**
 * Cuts documents in a worker thread, one at a time in the order of the calls. The thread starts with the first
 * document and keeps the process alive only while it cuts. When it dies, the document is refused and the next one
 * starts a new thread.
 */
export function createDocumentCutter(config: EmbeddingConfig): DocumentCutter {
  const waiting: Waiting[] = [];
  let worker: Worker | undefined;
  let isClosed = false;

  function start(): Worker {
    const file = fileURLToPath(import.meta.url);
    const extension = extname(file);
    const thread = new Worker(file.replace(/document-cutter\.[jt]s$/, `document-worker${extension}`), {
      workerData: { config, maxChunks: MAX_CHUNKS_PER_USER + 1 } satisfies CutterData,
      env: {},
      resourceLimits: RESOURCE_LIMITS,
      ...(extension === '.ts' ? { execArgv: ['--conditions=factmill-source'] } : {}),
    });
    thread.on('message', (reply: CutReply) => {
      if (worker === thread) settle('document' in reply ? reply.document : failed(reply.failure));
    });
    const end = (cause: unknown) => {
      if (worker !== thread) return;
      worker = undefined;
      settle(failed(cause));
    };
    thread.on('error', end);
    thread.on('exit', () => end(undefined));
    return thread;
  }

  function settle(result: CutDocument | AppError): void {
    const done = waiting.shift();
    if (waiting.length === 0) worker?.unref();
    else sendNext();
    if (result instanceof AppError) done?.reject(result);
    else done?.resolve(result);
  }

  function sendNext(): void {
    const [next] = waiting;
    if (next === undefined) return;
    worker ??= start();
    worker.ref();
    worker.postMessage(next.content, []);
  }

  return {
    chunking: chunkingOf(config).id,
    cut: (content) =>
      new Promise((resolve, reject) => {
        if (isClosed) throw new AppError('shutting_down', 'The gateway is stopping.');
        if (waiting.length >= MAX_WAITING) {
          throw new AppError('overloaded', 'Too many documents wait to be cut; send it again.', {
            retryAfterSeconds: 5,
          });
        }
        waiting.push({ content, resolve, reject });
        if (waiting.length === 1) sendNext();
      }),
    async close() {
      isClosed = true;
      const thread = worker;
      worker = undefined;
      for (const { reject } of waiting.splice(0)) {
        reject(new AppError('shutting_down', 'The gateway is stopping.'));
      }
      await thread?.terminate();
    },
  };
}

function failed(cause: unknown): AppError {
  return new AppError('internal', 'A document could not be cut.', { cause });
}
