import { ownerOf, principalOf } from '@factmill/auth';
import { type AuditAction, type Replay, uuidParamsSchema } from '@factmill/contracts';
import {
  appendAudit,
  beginChange,
  deleteReplay,
  discardReplay,
  findReplay,
  type ListedReplay,
  lockReplay,
  type Sql,
} from '@factmill/database';
import { AppError } from '@factmill/errors';
import { validate } from '@factmill/http';
import { auditedBy } from '@factmill/runtime';
import type { Request, Response } from 'express';
import type { RouteDeps } from '../route-deps.ts';

type Change = (request: Request, response: Response) => Promise<ListedReplay>;

type Step = Readonly<{
  action: AuditAction;
  /** The states in which it is possible. */
  from: readonly Replay['state'][];
  work: (tx: Sql, replay: Readonly<{ tenantId: string; id: string }>) => Promise<void>;
}>;

/** The replay that a path names, if the caller may see it. */
export function replayNamed(request: Request, response: Response) {
  const principal = principalOf(response);
  const { id } = validate(uuidParamsSchema, request.params);
  return { tenantId: principal.tenantId, id, userId: ownerOf(undefined, principal) };
}

/**
 * What becomes of a replay. Each resolves to the replay after it; a deleted one to what it was.
 *
 * @throws AppError `not_found`; `state_conflict` when it is not in a state for that
 */
export function createChangeReplay(
  deps: Pick<RouteDeps, 'database'>,
): Readonly<Record<'apply' | 'undo' | 'discard' | 'remove', Change>> {
  const changing =
    ({ action, from, work }: Step): Change =>
    (request, response) => {
      const target = replayNamed(request, response);
      return deps.database.batch.transaction(async (tx) => {
        const replay = await lockReplay(tx, target);
        if (replay === undefined) throw replayNotFound();
        if (!from.includes(replay.state)) {
          throw new AppError(
            'state_conflict',
            `The replay is ${replay.state}; for this it has to be ${from.join(' or ')}.`,
          );
        }
        await work(tx, target);
        const after = await recordReplay(tx, response, replay.id, action, replay);
        return after ?? replay;
      });
    };
  return {
    apply: changing({
      action: 'replay.applied',
      from: ['done'],
      work: (tx, replay) => beginChange(tx, replay, 'apply'),
    }),
    undo: changing({
      action: 'replay.undone',
      from: ['applied'],
      work: (tx, replay) => beginChange(tx, replay, 'undo'),
    }),
    discard: changing({
      action: 'replay.discarded',
      from: ['running', 'done'],
      work: (tx, { tenantId, id }) => discardReplay(tx, tenantId, id),
    }),
    remove: changing({
      action: 'replay.deleted',
      from: ['running', 'done', 'applied', 'undone', 'discarded'],
      work: (tx, { tenantId, id }) => deleteReplay(tx, tenantId, id),
    }),
  };
}

/** Records what was done with a replay. Resolves to it as it is now; undefined when it is gone. */
export async function recordReplay(
  tx: Sql,
  response: Response,
  id: string,
  action: AuditAction,
  before?: ListedReplay,
): Promise<ListedReplay | undefined> {
  const { tenantId } = principalOf(response);
  const replay = await findReplay(tx, { tenantId, id, userId: null });
  const { userId, runs } = replay ?? before ?? { userId: null, runs: 0 };
  await appendAudit(tx, {
    ...auditedBy(response),
    action,
    target: { kind: 'replay', id },
    userId,
    counts: { runs },
  });
  return replay;
}

export function replayNotFound(): AppError {
  return new AppError('not_found', 'There is no replay with this id.');
}
