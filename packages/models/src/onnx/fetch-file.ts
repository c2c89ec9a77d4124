import { randomUUID } from 'node:crypto';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '@factmill/errors';
import { errorCodeOf } from './error-code.ts';
import { gitIdOf, sha256Of } from './file-digest.ts';
import { CannotResumeError, type HubFile, HubUnreachableError, requestFile } from './hub-request.ts';

/** How far the files of a model are. */
export type FetchProgress = Readonly<{ file: string; bytes: number; totalBytes: number | undefined }>;

export type FetchDeps = Readonly<{
  now: () => number;
  /** Pause before the first retry; twice as long before each further one. */
  retryDelayMs: number;
  onProgress: (progress: FetchProgress) => void;
}>;

export type FileToFetch = Readonly<{
  address: string;
  /** Its name in messages and progress. */
  name: string;
  target: string;
  maxBytes: number;
}>;

export type FetchedFile = Readonly<{ size: number; sha256: string; commit: string | undefined }>;

const MAX_ATTEMPTS = 5;
/** The hub may be silent for so long; then the connection counts as broken. */
const MAX_SILENCE_MS = 30_000;
/** A partial file that nobody has written to for so long belongs to no running process. */
const ABANDONED_AFTER_MS = 2 * MAX_SILENCE_MS;
const REPORT_EVERY_MS = 5_000;

/**
 * Brings one file to `target`, which appears whole or not at all. A broken download goes on where it stopped, also one
 * of a process that ended; the content is checked against the digest that the hub names. Null when there is no such
 * file.
 *
 * @throws AppError `model_transient` when the hub cannot be reached, `model_config` when it refuses, when the file is
 *   too large or damaged, or when it cannot be written
 */
export async function fetchFile(
  file: FileToFetch,
  deps: FetchDeps,
  signal: AbortSignal,
): Promise<FetchedFile | null> {
  const partial = `${file.target}.${randomUUID()}.part`;
  await adoptAbandoned(file.target, partial, deps.now());
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptFetch(file, partial, deps, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof HubUnreachableError)) {
        await rm(partial, { force: true });
        throw toFileError(error);
      }
      if (error instanceof CannotResumeError) await rm(partial, { force: true });
      if (attempt === MAX_ATTEMPTS) {
        throw new AppError(
          'model_transient',
          `The model hub did not send ${file.name} whole in ${MAX_ATTEMPTS} attempts (${error.message}). What has arrived is kept.`,
          { cause: error },
        );
      }
      await pause(deps.retryDelayMs * 2 ** (attempt - 1), undefined, { signal });
    }
  }
}

/** Takes over the largest partial file that a process left behind. By rename, so only one process gets it. */
async function adoptAbandoned(target: string, partial: string, nowMs: number): Promise<void> {
  const folder = dirname(target);
  const names = await readdir(folder);
  const parts = names.filter((name) => name.startsWith(`${basename(target)}.`) && name.endsWith('.part'));
  const found = await Promise.all(
    parts.map(async (name) => ({ name, stats: await stat(join(folder, name)).catch(() => null) })),
  );
  const [largest] = found
    .filter(({ stats }) => stats !== null && nowMs - stats.mtimeMs > ABANDONED_AFTER_MS)
    .toSorted((left, right) => (right.stats?.size ?? 0) - (left.stats?.size ?? 0));
  if (largest !== undefined) await rename(join(folder, largest.name), partial).catch(() => undefined);
}

async function attemptFetch(
  file: FileToFetch,
  partial: string,
  deps: FetchDeps,
  signal: AbortSignal,
): Promise<FetchedFile | null> {
  const silence = createSilenceGuard(signal);
  try {
    const have = await sizeOf(partial);
    const answer = await requestFile(file.address, have, silence.signal);
    if (answer === null) return null;
    if (answer.start > 0 && answer.digest === undefined) {
      await answer.response.body?.cancel();
      throw new CannotResumeError('nothing shows that the rest belongs to what has arrived');
    }
    await writeBody(answer, file, partial, deps, silence);
    const size = await sizeOf(partial);
    if (answer.size !== undefined && size !== answer.size)
      throw new HubUnreachableError('the connection ended early');
    const sha256 = await sha256Of(partial, signal);
    await assertDigest(answer, partial, sha256);
    await rename(partial, file.target);
    return { size, sha256, commit: answer.commit };
  } catch (error) {
    if (silence.signal.aborted && !signal.aborted)
      throw new HubUnreachableError('it was silent for too long');
    throw error;
  } finally {
    silence.stop();
  }
}

async function writeBody(
  { response, start, size }: HubFile,
  { name, maxBytes }: FileToFetch,
  partial: string,
  { now, onProgress }: FetchDeps,
  silence: SilenceGuard,
): Promise<void> {
  const handle = await open(partial, 'a');
  try {
    await handle.truncate(start);
    let bytes = start;
    let reportedAt = now();
    assertSize(name, size ?? bytes, maxBytes);
    for await (const chunk of chunksOf(response)) {
      silence.heard();
      bytes += chunk.byteLength;
      assertSize(name, bytes, maxBytes);
      await handle.appendFile(chunk);
      if (now() - reportedAt < REPORT_EVERY_MS) continue;
      reportedAt = now();
      onProgress({ file: name, bytes, totalBytes: size });
    }
    await handle.sync();
    onProgress({ file: name, bytes, totalBytes: size });
  } finally {
    await handle.close();
  }
}

/** The body; a connection that breaks is the hub's failure. */
async function* chunksOf(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw new HubUnreachableError('the connection broke', error);
      });
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function assertSize(name: string, bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return;
  throw new AppError(
    'model_config',
    `${name} of the model is larger than ${maxBytes} bytes, which is the limit.`,
  );
}

/** A file that differs from what the hub says it is begins anew at the next attempt. */
async function assertDigest({ digest }: HubFile, partial: string, sha256: string): Promise<void> {
  if (digest === undefined) return;
  const found = digest.length === 64 ? sha256 : await gitIdOf(partial);
  if (found === digest) return;
  throw new CannotResumeError('its content was damaged on the way');
}

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => ({ size: 0 }))).size;
}

function toFileError(error: unknown): unknown {
  const code = errorCodeOf(error);
  if (error instanceof AppError || code === undefined) return error;
  return new AppError('model_config', `A model could not be written below MODELS_DIR (${code}).`, {
    cause: error,
  });
}

type SilenceGuard = Readonly<{ signal: AbortSignal; heard: () => void; stop: () => void }>;

/** A signal that fires when nothing was heard for too long, or with the caller's. */
function createSilenceGuard(signal: AbortSignal): SilenceGuard {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), MAX_SILENCE_MS);
  return {
    signal: AbortSignal.any([signal, controller.signal]),
    heard: () => timer.refresh(),
    stop: () => clearTimeout(timer),
  };
}
