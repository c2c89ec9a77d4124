import { effectiveUser, principalOf, requirePermission, resolveUser } from '@factmill/auth';
import { type Statistics, UNKNOWN_USER, userQuerySchema } from '@factmill/contracts';
import { readUserStatistics, type UserStatistics } from '@factmill/database';
import { validate } from '@factmill/http';
import { Router } from 'express';
import type { RouteDeps } from '../route-deps.ts';
import { UNKNOWN_USER_SKIPPED } from '../unknown-user.ts';

/** `GET /v1/stats` (C17). */
export function statisticsRoutes(deps: RouteDeps): Router {
  const router = Router();
  router.get('/', requirePermission('memory.read'), async (request, response) => {
    const { user_id: requested } = validate(userQuerySchema, request.query);
    const principal = principalOf(response);
    const userId = effectiveUser(resolveUser(requested, principal, deps.config.auth.defaultUserId));
    if (userId === UNKNOWN_USER) {
      response.json({ ...toStatistics(userId, NOTHING), ...UNKNOWN_USER_SKIPPED });
      return;
    }
    const found = await readUserStatistics(deps.database.list, { tenantId: principal.tenantId, userId });
    response.json(toStatistics(userId, found));
  });
  return router;
}

const NOTHING: UserStatistics = {
  memories: {
    current: 0,
    expired: 0,
    archived: 0,
    superseded: 0,
    deleted: 0,
    withoutVector: 0,
    ownWords: 0,
    byTier: { '1': 0, '2': 0, '3': 0 },
    byKind: { fact: 0, qa: 0, note: 0, event: 0 },
    byCategory: {},
  },
  conversations: { total: 0, messages: 0, notExtracted: 0 },
  extractions: {
    byState: { pending: 0, active: 0, done: 0, failed: 0, dropped: 0, skipped: 0 },
    lastFinishedAt: null,
    oldestWaitingAt: null,
  },
};

function toStatistics(userId: string, { memories, conversations, extractions }: UserStatistics): Statistics {
  const { byTier, byKind, byCategory, withoutVector, ownWords, ...states } = memories;
  return {
    user_id: userId,
    memories: {
      ...states,
      by_tier: byTier,
      by_kind: byKind,
      by_category: byCategory,
      own_words: ownWords,
      without_vector: withoutVector,
    },
    conversations: {
      total: conversations.total,
      messages: conversations.messages,
      messages_not_extracted: conversations.notExtracted,
    },
    extractions: {
      by_state: extractions.byState,
      last_finished_at: extractions.lastFinishedAt?.toISOString() ?? null,
      oldest_waiting_at: extractions.oldestWaitingAt?.toISOString() ?? null,
    },
  };
}
