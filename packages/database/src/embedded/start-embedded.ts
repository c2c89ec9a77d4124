import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { extname, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError } from '@factmill/errors';
import type { DatabaseLogger } from '../pool/database-logger.ts';
import { createDatabase } from './create-database.ts';
import { lockDataDirectory } from './data-directory-lock.ts';
import { explainFailedStart, prepareDataDirectory } from './data-directory-use.ts';
import { inspectDataDirectory, markDataDirectory } from './data-directory.ts';
import type { FromWorker, ToWorker, WorkerTask } from './worker-messages.ts';

export type EmbeddedOptions = Readonly<{
  /** Folder of the database; created, for its owner only, when it is missing. */
  dataDir: string;
  logger: DatabaseLogger;
  /** Called before a new database is created, which takes some seconds. */
  onCreate?: () => void;
  /** Called when the database stops without `close`; the process should end. */
  onLost?: (error: Error) => void;
}>;

export type EmbeddedPostgres = Readonly<{
  /** For any number of pg clients on this machine; contains a password made for this start. */
  connectionString: string;
  /** Ends all connections, writes a checkpoint, frees the data folder. Idempotent. */
  close(): Promise<void>;
}>;

/**
 * Starts the embedded Postgres on a data folder and serves it on a free loopback port.
 *
 * There is one session behind the wire: transactions of different clients run one after the other, all clients share
 * session settings (SET, search_path) and session-level advisory locks, and statement_timeout has no effect.
 * Committed data is on disk, even after a kill or a power cut.
 *
 * Throws `data_dir_locked` when another instance uses the folder, `config_invalid` when the folder cannot be used or
 * was written by another Postgres.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const startedAt = performance.now();
  const dataDir = resolve(options.dataDir);
  await prepareDataDirectory(dataDir);
  const lock = lockDataDirectory(dataDir);
  try {
    const { postgresDirectory, exists } = await inspectDataDirectory(dataDir);
    const explain = async (error: unknown) => {
      throw await explainFailedStart(dataDir, postgresDirectory, error);
    };
    if (!exists) {
      options.onCreate?.();
      await createDatabase(postgresDirectory).catch(explain);
      await markDataDirectory(dataDir);
    }
    const password = randomBytes(18).toString('base64url');
    const worker = startWorker({ directory: postgresDirectory, password });
    const port = await portOf(worker).catch(explain);
    options.logger.info(
      { created: !exists, durationMs: Math.round(performance.now() - startedAt) },
      'embedded database started',
    );
    return {
      connectionString: `postgres://postgres:${password}@127.0.0.1:${port}/postgres?sslmode=disable`,
      close: closeOnce(worker, lock.release, options.onLost),
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function startWorker(task: WorkerTask): Worker {
  // The worker's file is beside this one: .ts in the sources, .js in the build.
  return new Worker(new URL(`./embedded-worker${extname(import.meta.url)}`, import.meta.url), {
    workerData: task,
    name: 'embedded-database',
  });
}

async function portOf(worker: Worker): Promise<number> {
  const stopped = once(worker, 'exit').then(() => {
    throw new Error('the thread ended');
  });
  try {
    // A thread that throws makes once() reject with its error.
    const [message] = (await Promise.race([once(worker, 'message'), stopped])) as [FromWorker];
    if (message.kind !== 'listening') throw new Error(`the thread is ${message.kind}`);
    return message.port;
  } catch (error) {
    await worker.terminate();
    throw error;
  }
}

function closeOnce(
  worker: Worker,
  release: () => void,
  onLost?: (error: Error) => void,
): () => Promise<void> {
  let closing: Promise<void> | undefined;
  let failure: Error | undefined;
  worker.on('error', (error: Error) => {
    failure = error;
  });
  worker.on('exit', () => {
    if (closing === undefined) {
      onLost?.(
        new AppError('database_unavailable', 'The embedded database has stopped.', { cause: failure }),
      );
    }
  });

  async function close(): Promise<void> {
    try {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      worker.postMessage('close' satisfies ToWorker);
      await Promise.race([once(worker, 'message'), once(worker, 'exit')]);
      await worker.terminate();
    } finally {
      release();
    }
  }
  return () => (closing ??= close());
}
