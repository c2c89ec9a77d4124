import { repeat } from '@factmill/async';
import { principalOf } from '@factmill/auth';
import { appendAudit, type AuditEntry, type AuditedBy, type Sql } from '@factmill/database';
import { isAppError } from '@factmill/errors';
import { localsOf, recordedIdOf } from '@factmill/http';
import type { Logger } from '@factmill/telemetry';
import type { RequestHandler, Response } from 'express';

/** Who sends a request, for the audit. */
export function auditedBy(response: Response): AuditedBy {
  const { tenantId, keyId } = principalOf(response);
  return {
    tenantId,
    actor: keyId === null ? 'api' : `api-key:${keyId}`,
    requestId: recordedIdOf(response),
  };
}

export type AuditAccess = Readonly<{
  /** Middleware after authentication: records refusals, and reads of all users at once. */
  watch: RequestHandler;
  /** Stores what is still counted. */
  close: () => Promise<void>;
}>;

/** The first in a while, and how many more came that are not stored yet. */
type Counted = { readonly entry: AuditEntry; isStored: boolean; more: number };

const COUNTED_FOR_MS = 60_000;

/**
 * Records refusals and reads of all users in the audit, in bounds: of a key and a kind, the first is stored at once, and
 * those of the rest of that minute as one record with their number. So a caller that is refused a thousand times a
 * second writes two records a minute.
 */
export function createAuditAccess(deps: Readonly<{ database: Sql; logger: Logger }>): AuditAccess {
  let counted = new Map<string, Counted>();
  const storing = new Set<Promise<void>>();

  function note(entry: AuditEntry): void {
    const key = [entry.tenantId, entry.actor, entry.action, entry.reason].join(' ');
    const known = counted.get(key);
    if (known !== undefined) {
      known.more += 1;
      return;
    }
    const first: Counted = { entry, isStored: false, more: 0 };
    counted.set(key, first);
    const stored = store(entry).then((isStored) => {
      first.isStored = isStored;
    });
    storing.add(stored);
    void stored.finally(() => storing.delete(stored));
  }

  async function store(entry: AuditEntry): Promise<boolean> {
    try {
      await appendAudit(deps.database, entry);
      return true;
    } catch (error) {
      const code = isAppError(error) ? error.code : 'internal';
      deps.logger.warn({ code, action: entry.action }, 'the audit could not be written; tried again');
      return false;
    }
  }

  async function storeRest(): Promise<void> {
    await Promise.all(storing);
    const over = counted;
    counted = new Map();
    for (const [key, { entry, isStored, more }] of over) {
      const times = more + (isStored ? 0 : 1);
      if (times === 0) continue;
      const { target: _target, ...rest } = entry;
      if (await store({ ...rest, requestId: null, counts: { times } })) continue;
      const meanwhile = counted.get(key);
      if (meanwhile === undefined) counted.set(key, { entry, isStored: true, more: times });
      else meanwhile.more += times;
    }
  }

  const timer = repeat({
    firstMs: COUNTED_FOR_MS,
    everyMs: COUNTED_FOR_MS,
    round: storeRest,
    onError: () => undefined,
  });
  return {
    watch(request, response, next) {
      response.once('finish', () => {
        const entry = entryOf(request.method, response);
        if (entry !== null) note(entry);
      });
      next();
    },
    async close() {
      await timer.close();
      await storeRest();
    },
  };
}

function entryOf(method: string, response: Response): AuditEntry | null {
  const { eventFields, route } = localsOf(response);
  const isRefused = response.statusCode === 403;
  if (!isRefused && eventFields['all_users'] !== true) return null;
  const target = { kind: 'route', id: `${method} ${route()}` } as const;
  const by = auditedBy(response);
  return isRefused
    ? {
        ...by,
        target,
        action: 'permission.refused',
        outcome: 'refused',
        reason: String(eventFields['code'] ?? 'forbidden'),
      }
    : { ...by, target, action: 'memories.read_all' };
}
