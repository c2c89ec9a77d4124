import { AppError } from '@factmill/errors';

/** What the hub says of a file before it sends it. */
export type HubFile = Readonly<{
  /** The body, from `start` on. */
  response: Response;
  start: number;
  /** The size of the whole file; undefined when the hub does not say. */
  size: number | undefined;
  /** SHA-256 of a large file, or the git object id (SHA-1) of a small one; undefined for another mark. */
  digest: string | undefined;
  /** The commit that the revision stands for; undefined when the hub does not say. */
  commit: string | undefined;
}>;

/** A failure that may pass: the network, a busy hub. */
export class HubUnreachableError extends Error {
  constructor(reason: string, cause?: unknown) {
    super(reason, { cause });
    this.name = 'HubUnreachableError';
  }
}

/** What is there of the file cannot be continued; the next attempt begins anew. */
export class CannotResumeError extends HubUnreachableError {}

const MAX_REDIRECTS = 5;

/**
 * Asks for a file, from byte `start` on. Follows redirects to where the hub keeps its files, but from https never to
 * plain http. Null when the repository has no such file.
 *
 * @throws HubUnreachableError; AppError `model_config` when the hub refuses
 */
export async function requestFile(
  address: string,
  start: number,
  signal: AbortSignal,
): Promise<HubFile | null> {
  const headers = {
    // Compressed bytes could be neither counted nor resumed.
    'accept-encoding': 'identity',
    ...(start > 0 ? { range: `bytes=${start}-` } : {}),
  };
  let url = new URL(address);
  let marks: Headers | undefined;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const response = await fetchOnce(url, headers, signal);
    // The first answer has the hub's marks; where it redirects to knows only bytes.
    marks ??= response.headers;
    const target = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && target !== null) {
      await response.body?.cancel();
      const next = new URL(target, url);
      if (url.protocol === 'https:' && next.protocol !== 'https:') {
        throw new AppError('model_config', 'The model hub redirects to an address without encryption.');
      }
      url = next;
      continue;
    }
    return readAnswer(response, marks, start);
  }
  throw new HubUnreachableError('too many redirects');
}

async function fetchOnce(url: URL, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, { headers, redirect: 'manual', signal });
  } catch (error) {
    signal.throwIfAborted();
    throw new HubUnreachableError('no connection', error);
  }
}

async function readAnswer(response: Response, marks: Headers, start: number): Promise<HubFile | null> {
  const { status } = response;
  if (status === 200 || (status === 206 && start > 0)) {
    const length = Number(response.headers.get('content-length') ?? Number.NaN);
    const from = status === 206 ? start : 0;
    return {
      response,
      start: from,
      size:
        Number.isSafeInteger(length) && response.headers.get('content-encoding') === null
          ? from + length
          : undefined,
      digest: digestOf(marks),
      commit: marks.get('x-repo-commit') ?? undefined,
    };
  }
  await response.body?.cancel();
  if (status === 416) throw new CannotResumeError('the file is shorter than what has arrived');
  if (status === 404) return null;
  if (status === 401 || status === 403) {
    throw new AppError('model_config', 'The model hub has no such model, or does not give it to everybody.');
  }
  throw new HubUnreachableError(`status ${status}`);
}

/** `"…"` or `W/"…"` around 40 or 64 hexadecimal digits. Only the hub itself, which names the commit, has git ids. */
function digestOf(headers: Headers): string | undefined {
  const tag = headers.get('x-linked-etag') ?? headers.get('etag') ?? '';
  const digest = /^(?:W\/)?"?([0-9a-f]{64}|[0-9a-f]{40})"?$/.exec(tag)?.[1];
  return digest?.length === 40 && !headers.has('x-repo-commit') ? undefined : digest;
}
