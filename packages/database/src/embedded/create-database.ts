import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rename } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unfinishedName } from './data-directory.ts';
import type { FromCreator } from './worker-messages.ts';

/**
 * Creates the files of a database in an empty folder, durably; rejects when that fails. They appear all at once: a
 * creator whose starter was killed may write on for a moment, and then writes into a folder that nobody uses.
 */
export async function createDatabase(postgresDirectory: string): Promise<void> {
  const unfinished = join(dirname(postgresDirectory), unfinishedName());
  await mkdir(unfinished, { mode: 0o700 });
  // The file is beside this one: .ts in the sources, .js in the build.
  const file = fileURLToPath(
    new URL(`./create-database-process${extname(import.meta.url)}`, import.meta.url),
  );
  const creator = fork(file, [unfinished], { env: {}, stdio: 'ignore', serialization: 'advanced' });
  const ended = once(creator, 'exit').then(([code]) => {
    throw new Error(`the process that creates the database ended with ${String(code)}`);
  });
  try {
    const [message] = (await Promise.race([once(creator, 'message'), ended])) as [FromCreator];
    if (message.kind === 'failed') throw message.error;
  } finally {
    creator.kill('SIGKILL');
  }
  await rename(unfinished, postgresDirectory);
}
