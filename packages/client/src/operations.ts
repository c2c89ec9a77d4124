/**
 * When a failed call is repeated.
 *
 * - `always`: doing it twice equals doing it once. Every passing failure is repeated, even when the server may have
 *   done it.
 * - `unless_begun`: only while the server certainly did nothing: there was no connection, or the server refused
 *   before it began (429, `overloaded`, `shutting_down`).
 */
export type Repeat = 'always' | 'unless_begun';

export type ClientOperation = Readonly<{
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** As in the contract, with at most one `{id}`. */
  path: string;
  repeat: Repeat;
  /** Where the client's default `user_id` goes when the call names none. */
  user?: 'body' | 'query';
  /** Carries an `Idempotency-Key`, the client's own when the caller gives none. */
  isKeyed?: true;
  /** 404 after a try whose outcome is unknown means that the try did it. */
  isDoneWhenGone?: true;
}>;

const read = { method: 'GET', repeat: 'always' } as const;

/** Every call of the client. A test compares it with the operations of the contract. */
export const OPERATIONS = {
  // The client chooses the id, and creating an existing conversation returns it.
  'conversations.create': { method: 'POST', path: '/v1/conversations', repeat: 'always', user: 'body' },
  'conversations.list': { ...read, path: '/v1/conversations', user: 'query' },
  'conversations.get': { ...read, path: '/v1/conversations/{id}', user: 'query' },
  // Sets fields to values; no history is kept of it.
  'conversations.patch': { method: 'PATCH', path: '/v1/conversations/{id}', repeat: 'always', user: 'body' },
  'conversations.delete': {
    method: 'DELETE',
    path: '/v1/conversations/{id}',
    repeat: 'always',
    user: 'query',
    isDoneWhenGone: true,
  },
  'conversations.messages': { ...read, path: '/v1/conversations/{id}/messages', user: 'query' },
  'conversations.post': {
    method: 'POST',
    path: '/v1/conversations/{id}/messages',
    repeat: 'always',
    user: 'body',
    isKeyed: true,
  },
  'conversations.flush': {
    method: 'POST',
    path: '/v1/conversations/{id}/flush',
    repeat: 'always',
    user: 'body',
    isKeyed: true,
  },

  'extractions.create': {
    method: 'POST',
    path: '/v1/extractions',
    repeat: 'always',
    user: 'body',
    isKeyed: true,
  },
  'extractions.list': { ...read, path: '/v1/extractions', user: 'query' },
  'extractions.get': { ...read, path: '/v1/extractions/{id}' },
  'extractions.timeline': { ...read, path: '/v1/extractions/{id}/timeline' },
  'extractions.answers': { ...read, path: '/v1/extractions/{id}/answers' },
  'extractions.counts': { ...read, path: '/v1/extractions/counts', user: 'query' },
  'extractions.series': { ...read, path: '/v1/extractions/series', user: 'query' },
  // The first replay may have ended before its answer was lost: repeating the call would run it again.
  'extractions.replay': { method: 'POST', path: '/v1/extractions/{id}/replay', repeat: 'unless_begun' },
  // The next call takes the next 1,000.
  'extractions.replayAll': {
    method: 'POST',
    path: '/v1/extractions/replay',
    repeat: 'unless_begun',
    user: 'body',
  },

  // The memory is stored once however often it is sent, but a repeat would overwrite a value set in between.
  'memories.create': { method: 'POST', path: '/v1/memories', repeat: 'unless_begun', user: 'body' },
  'memories.batch': { method: 'POST', path: '/v1/memories/batch', repeat: 'unless_begun', user: 'body' },
  // Each item is stored once, whatever has become of it.
  'memories.import': { method: 'POST', path: '/v1/memories/import', repeat: 'always', user: 'body' },
  'memories.list': { ...read, path: '/v1/memories', user: 'query' },
  // A repeat would also delete a memory saved under the key in between, and its count would miss the first deletions.
  'memories.deleteByKey': { method: 'DELETE', path: '/v1/memories', repeat: 'unless_begun', user: 'query' },
  // A repeat would also remove what was said in between.
  'memories.clear': { method: 'POST', path: '/v1/memories/clear', repeat: 'unless_begun', user: 'body' },
  'memories.get': { ...read, path: '/v1/memories/{id}', user: 'query' },
  // Adds a version to the memory's history each time.
  'memories.patch': { method: 'PATCH', path: '/v1/memories/{id}', repeat: 'unless_begun', user: 'body' },
  'memories.delete': {
    method: 'DELETE',
    path: '/v1/memories/{id}',
    repeat: 'always',
    user: 'query',
    isDoneWhenGone: true,
  },
  'memories.history': { ...read, path: '/v1/memories/{id}/history', user: 'query' },
  'memories.sources': { ...read, path: '/v1/memories/{id}/sources', user: 'query' },
  'memories.neighbours': { ...read, path: '/v1/memories/{id}/neighbours', user: 'query' },
  // An archived memory is not found, so a repeat would hide that the first attempt succeeded.
  'memories.archive': {
    method: 'POST',
    path: '/v1/memories/{id}/archive',
    repeat: 'unless_begun',
    user: 'query',
  },
  // A current memory is not found, so a repeat would hide that the first attempt succeeded.
  'memories.restore': {
    method: 'POST',
    path: '/v1/memories/{id}/restore',
    repeat: 'unless_begun',
    user: 'query',
  },
  'memories.search': { method: 'POST', path: '/v1/memories/search', repeat: 'always', user: 'body' },
  'memories.stats': { ...read, path: '/v1/stats', user: 'query' },
  'tenant.stats': { ...read, path: '/v1/stats/tenant' },

  // The client gives the document its id, and the same content again changes nothing.
  'documents.put': { method: 'POST', path: '/v1/documents', repeat: 'always', user: 'body' },
  'documents.list': { ...read, path: '/v1/documents', user: 'query' },
  'documents.get': { ...read, path: '/v1/documents/{id}', user: 'query' },
  'documents.delete': {
    method: 'DELETE',
    path: '/v1/documents/{id}',
    repeat: 'always',
    user: 'query',
    isDoneWhenGone: true,
  },

  context: { method: 'POST', path: '/v1/context', repeat: 'always', user: 'body' },
  'summary.get': { ...read, path: '/v1/summary', user: 'query' },
  // Adds a version each time, and only the last 20 are kept.
  'summary.put': { method: 'PUT', path: '/v1/summary', repeat: 'unless_begun', user: 'body' },
  'summary.delete': {
    method: 'DELETE',
    path: '/v1/summary',
    repeat: 'always',
    user: 'query',
    isDoneWhenGone: true,
  },
  profile: { ...read, path: '/v1/profile', user: 'query' },

  'users.list': { ...read, path: '/v1/users' },
  'users.get': { ...read, path: '/v1/users/{id}' },
  'users.patch': { method: 'PATCH', path: '/v1/users/{id}', repeat: 'always' },
  // While an erasure is open its receipt is the answer again. After it there is nothing of the user: 404.
  'users.erase': { method: 'DELETE', path: '/v1/users/{id}', repeat: 'always' },
  'users.erasure': { ...read, path: '/v1/erasures/{id}' },

  'users.export': { ...read, path: '/v1/users/{id}/export' },
  // What is there already stays as it is.
  'users.import': { method: 'POST', path: '/v1/users/{id}/import', repeat: 'always' },
  'tenant.export': { ...read, path: '/v1/export' },
  'tenant.import': { method: 'POST', path: '/v1/import', repeat: 'always' },

  'audit.list': { ...read, path: '/v1/audit' },
  'audit.verify': { ...read, path: '/v1/audit/verify' },

  'retention.get': { ...read, path: '/v1/retention' },
  'retention.set': { method: 'PATCH', path: '/v1/retention', repeat: 'always' },
  // The open run is the answer again.
  'retention.run': { method: 'POST', path: '/v1/retention/runs', repeat: 'unless_begun' },
  'retention.runs': { ...read, path: '/v1/retention/runs' },
  'retention.receipt': { ...read, path: '/v1/retention/runs/{id}' },
  // A repeat would hide that the first try placed it.
  'legalHolds.place': { method: 'POST', path: '/v1/legal-holds', repeat: 'unless_begun' },
  'legalHolds.list': { ...read, path: '/v1/legal-holds' },
  'legalHolds.lift': {
    method: 'DELETE',
    path: '/v1/legal-holds/{id}',
    repeat: 'always',
    isDoneWhenGone: true,
  },

  // A repeat would begin another one, and pay for it.
  'replays.start': { method: 'POST', path: '/v1/replays', repeat: 'unless_begun', user: 'body' },
  'replays.list': { ...read, path: '/v1/replays', user: 'query' },
  'replays.get': { ...read, path: '/v1/replays/{id}' },
  'replays.diff': { ...read, path: '/v1/replays/{id}/diff' },
  // A repeat would be refused, because the first try has begun it.
  'replays.apply': { method: 'POST', path: '/v1/replays/{id}/apply', repeat: 'unless_begun' },
  'replays.undo': { method: 'POST', path: '/v1/replays/{id}/undo', repeat: 'unless_begun' },
  'replays.discard': { method: 'POST', path: '/v1/replays/{id}/discard', repeat: 'unless_begun' },
  'replays.delete': {
    method: 'DELETE',
    path: '/v1/replays/{id}',
    repeat: 'always',
    isDoneWhenGone: true,
  },

  'tools.definition': { ...read, path: '/v1/tools/memory' },
  // Searching and listing; saving and forgetting follow `memories`.
  'tools.read': { method: 'POST', path: '/v1/tools/memory', repeat: 'always', user: 'body' },
  'tools.write': { method: 'POST', path: '/v1/tools/memory', repeat: 'unless_begun', user: 'body' },

  // A key is shown once: when the answer is lost, its secret is lost too.
  'apiKeys.create': { method: 'POST', path: '/v1/api-keys', repeat: 'unless_begun' },
  'apiKeys.list': { ...read, path: '/v1/api-keys' },
  // The new secret is shown once as well, and a repeat would end the old one that still works.
  'apiKeys.rotate': { method: 'POST', path: '/v1/api-keys/{id}/rotate', repeat: 'unless_begun' },
  'apiKeys.revoke': {
    method: 'DELETE',
    path: '/v1/api-keys/{id}',
    repeat: 'always',
    isDoneWhenGone: true,
  },

  'queue.pressure': { ...read, path: '/v1/queue/pressure' },
  usage: { ...read, path: '/v1/usage' },
  'tenants.create': { method: 'POST', path: '/v1/tenants', repeat: 'unless_begun' },
  'tenants.list': { ...read, path: '/v1/tenants' },
  'tenants.get': { ...read, path: '/v1/tenants/{id}' },
  'tenants.patch': { method: 'PATCH', path: '/v1/tenants/{id}', repeat: 'always' },

  'settings.list': { ...read, path: '/v1/settings' },
  'settings.set': { method: 'PUT', path: '/v1/settings/{id}', repeat: 'always' },
  'settings.unset': { method: 'DELETE', path: '/v1/settings/{id}', repeat: 'always' },

  // A dry run is a run of its own each time.
  'compressions.start': {
    method: 'POST',
    path: '/v1/compressions',
    repeat: 'unless_begun',
    user: 'body',
  },
  'compressions.list': { ...read, path: '/v1/compressions', user: 'query' },
  'compressions.get': { ...read, path: '/v1/compressions/{id}' },

  'vectors.count': { ...read, path: '/v1/vectors' },
  'vectors.backfill': { method: 'POST', path: '/v1/vectors/backfill', repeat: 'always' },
  'vectors.rebuild': { method: 'POST', path: '/v1/vectors/rebuild', repeat: 'always' },
  // The count of a repeat would miss what the first call deleted.
  'vectors.dropOld': { method: 'DELETE', path: '/v1/vectors', repeat: 'unless_begun' },

  'events.list': { ...read, path: '/v1/events', user: 'query' },
  // The secret is shown once: when the answer is lost, it is lost too.
  'webhooks.create': { method: 'POST', path: '/v1/webhooks', repeat: 'unless_begun' },
  'webhooks.list': { ...read, path: '/v1/webhooks' },
  'webhooks.get': { ...read, path: '/v1/webhooks/{id}' },
  'webhooks.patch': { method: 'PATCH', path: '/v1/webhooks/{id}', repeat: 'always' },
  'webhooks.delete': { method: 'DELETE', path: '/v1/webhooks/{id}', repeat: 'always', isDoneWhenGone: true },
  'webhooks.rotateSecret': {
    method: 'POST',
    path: '/v1/webhooks/{id}/rotate-secret',
    repeat: 'unless_begun',
  },
  'webhooks.test': { method: 'POST', path: '/v1/webhooks/{id}/test', repeat: 'unless_begun' },
  'webhooks.deliveries': { ...read, path: '/v1/webhooks/{id}/deliveries' },
  // What is sent twice has the same id, but it is sent twice.
  'webhooks.replay': { method: 'POST', path: '/v1/webhooks/{id}/replay', repeat: 'unless_begun' },

  'session.get': { ...read, path: '/console/session' },
  'session.create': { method: 'POST', path: '/console/session', repeat: 'unless_begun' },
  'session.end': { method: 'DELETE', path: '/console/session', repeat: 'always' },

  // Answers cost money, and no two are the same.
  'chat.complete': { method: 'POST', path: '/v1/chat/completions', repeat: 'unless_begun' },
} as const satisfies Record<string, ClientOperation>;

export type OperationName = keyof typeof OPERATIONS;
