import { createClient, FactmillError } from '@factmill/client';
import { VERSION } from '@factmill/runtime';
import { backlogFinding } from './backlog-finding.ts';
import { clockFinding, failed, type Finding, ok, warning } from './finding.ts';

/** How long a running instance may take for an answer. */
const PATIENCE_MS = 10_000;

/** What `impaired` and `missing` of `/health` name, and what helps. */
const ADVICE: Readonly<Record<string, string>> = {
  database: 'Is Postgres running, and has it connections left?',
  retrieval:
    'Is retrieval running, and is RETRIEVAL_URL of the gateway right? Its /readyz names what is missing.',
  queue: 'Is Redis running?',
};

type Health = Readonly<{
  status: string;
  version: string;
  missing?: readonly string[];
  impaired?: readonly string[];
  storage: string;
  queue: string;
  extraction: string;
  embedding: string;
}>;

/** Looks at a running instance through its gateway. */
export async function examineGateway(
  target: Readonly<{ url: string; apiKey: string | undefined }>,
): Promise<readonly Finding[]> {
  const from = Date.now();
  const response = await fetch(new URL('/health', target.url), {
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch(() => null);
  const until = Date.now();
  const health = (await response?.json().catch(() => null)) as Partial<Health> | null | undefined;
  if (typeof health?.version !== 'string' || typeof health.status !== 'string') {
    return [
      failed('gateway', {
        found: response === null ? 'it does not answer' : 'something else than Factmill answers',
        advice:
          'Is it running, and is its address right (--url, FACTMILL_URL, or the url of factmill config)?',
      }),
    ];
  }
  const date = Date.parse(response?.headers.get('date') ?? '');
  return [
    ...statusFindings(health as Health),
    versionFinding(health.version),
    // A header has whole seconds.
    ...(Number.isNaN(date) ? [] : [clockFinding('clock of the gateway', date + 500, { from, until })]),
    await backlog(target),
  ];
}

function statusFindings(health: Health): Finding[] {
  const parts = [...(health.missing ?? []), ...(health.impaired ?? [])];
  const settings = `storage ${health.storage}, queue ${health.queue}, extraction ${health.extraction}, embedding ${health.embedding}`;
  return [
    ok('gateway', `answers; ${settings}`),
    ...parts.map((part) =>
      failed(part, {
        found: 'the gateway cannot use it',
        advice: ADVICE[part] ?? 'Its own /health says more.',
      }),
    ),
  ];
}

function versionFinding(version: string): Finding {
  if (version === VERSION) return ok('version', version);
  return warning('version', {
    found: `the gateway is ${version}, this command ${VERSION}`,
    advice: 'Finish the upgrade, or use the command of that version.',
  });
}

async function backlog({
  url,
  apiKey,
}: Readonly<{ url: string; apiKey: string | undefined }>): Promise<Finding> {
  const client = createClient({ baseUrl: url, apiKey, timeoutMs: PATIENCE_MS, maxRetries: 0 });
  try {
    return backlogFinding(await client.queue.pressure());
  } catch (error) {
    if (!(error instanceof FactmillError)) throw error;
    const isRefused = error.code === 'unauthorized' || error.code === 'forbidden';
    return (isRefused ? warning : failed)('backlog', {
      found: error.kind === 'connection' ? 'the gateway does not answer' : error.detail,
      ...(isRefused ? { advice: 'Give a key with the permission queue.read in FACTMILL_API_KEY.' } : {}),
    });
  }
}
