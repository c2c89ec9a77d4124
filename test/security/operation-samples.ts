import type { Operation } from '@factmill/contracts';
import { createHash } from 'node:crypto';

/** What one user of a tenant has, with a text in all of it that nobody else may see. */
export type Planted = Readonly<{
  userId: string;
  secret: string;
  conversations: string;
  extractions: string;
  memories: string;
  documents: string;
  'api-keys': string;
  users: string;
  erasures: string;
  /** The tenant of the keys, which operators see. */
  tenants: string;
  compressions: string;
  webhooks: string;
  retention: string;
  'legal-holds': string;
  replays: string;
  /** A setting of run time, which nobody owns. */
  settings: string;
}>;

export type Sample = Readonly<{ body?: Record<string, unknown>; query?: Record<string, string> }>;

const said = { messages: [{ role: 'user', content: 'Hello there.' }] };

/** What each operation is called with, without a user; a test sees that none with a body is missing. */
export const SAMPLES: Readonly<Record<string, Sample>> = {
  'post /v1/conversations': { body: {} },
  'patch /v1/conversations/{id}': { body: { project: 'changed' } },
  'post /v1/conversations/{id}/messages': { body: { ...said, extract: 'never' } },
  'post /v1/conversations/{id}/flush': { body: {} },
  'post /v1/extractions': { body: said },
  'post /v1/extractions/replay': { body: { state: 'skipped' } },
  'post /v1/memories': { body: { content: 'A note.' } },
  'post /v1/memories/batch': { body: { memories: [{ content: 'A note.' }] } },
  'delete /v1/memories': { query: { key: 'absent' } },
  'post /v1/memories/import': {
    body: { source: 'elsewhere', items: [{ id: '1', content: 'A note.' }] },
  },
  'post /v1/memories/clear': { body: { confirm: 'nobody at all' } },
  'patch /v1/memories/{id}': { body: { topic: 'changed' } },
  'post /v1/documents': { body: { content: 'A text.' } },
  'post /v1/memories/search': { body: { query: 'Where does the user live?' } },
  'post /v1/context': { body: { query: 'Where do I live, and what do you know about me?' } },
  'put /v1/summary': { body: { content: 'Changed.' } },
  'post /v1/tools/memory': { body: { action: 'list' } },
  'put /v1/settings/{id}': { body: { value: 5_000 } },
  'post /v1/compressions': { body: { kind: 'daily', dry_run: true } },
  'post /v1/webhooks': { body: { url: 'https://hooks.invalid/', enabled: false } },
  'patch /v1/webhooks/{id}': { body: { enabled: false } },
  'post /v1/webhooks/{id}/replay': { body: { after: '0-0' } },
  'patch /v1/retention': { body: { messages_days: 3_650 } },
  'post /v1/retention/runs': { body: { dry_run: true } },
  'post /v1/legal-holds': { body: { user_id: 'somebody else' } },
  'post /v1/replays': { body: { dry_run: true } },
  'patch /v1/users/{id}': { body: { preset: 'standard' } },
  'post /v1/tenants': { body: { name: 'another' } },
  'patch /v1/tenants/{id}': { body: { default_preset: null } },
  'post /v1/api-keys/{id}/rotate': { body: { overlap_seconds: 60 } },
  'post /v1/api-keys': { body: { name: 'another', permissions: ['memory.read'] } },
};

/** An export with nothing in it: of a user, or of a whole tenant. */
function emptyExport(userId: string): string {
  const whose = userId === '' ? { scope: 'tenant' } : { scope: 'user', user_id: userId };
  const sha256 = createHash('sha256').digest('hex');
  return [
    { format: 'factmill.export', version: 1, ...whose },
    { type: 'end', counts: {}, sha256 },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}

/** The operation with these ids and, when given, this user; `allUsers` asks for everybody's. */
export function toCall(
  { method, path, query, body, bodyType }: Operation,
  target: Planted,
  more: Readonly<{ user?: string; allUsers?: boolean }> = {},
): Readonly<{ method: string; path: string; body: Record<string, unknown> | string | undefined }> {
  const sample = SAMPLES[`${method} ${path}`] ?? {};
  const fields = {
    ...(more.user === undefined ? {} : { user_id: more.user }),
    ...(more.allUsers === true ? { all_users: true } : {}),
  };
  const [, , kind = ''] = path.split('/');
  const id = kind in target ? target[kind as keyof Planted] : '';
  const bodyOf = () => {
    if (bodyType !== undefined) return emptyExport(id);
    return body === undefined ? undefined : { ...sample.body, ...fields };
  };
  const inQuery = { ...sample.query, ...(body === undefined && query !== undefined ? fields : {}) };
  const search = new URLSearchParams(
    Object.entries(inQuery).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return {
    method: method.toUpperCase(),
    path: `${path.replace('{id}', id)}${search === '' ? '' : `?${search}`}`,
    body: bodyOf(),
  };
}

/** Whether an operation can be told whose it is. */
export function takesUser({ query, body }: Operation): boolean {
  const { shape = {} } = (body ?? query ?? {}) as { shape?: object };
  return 'user_id' in shape;
}
