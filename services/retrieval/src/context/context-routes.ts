import { effectiveUser, principalOf, requirePermission, resolveUser } from '@factmill/auth';
import { contextRequestSchema, type ContextResponse, UNKNOWN_USER } from '@factmill/contracts';
import { AppError } from '@factmill/errors';
import { localsOf, validate } from '@factmill/http';
import { Router } from 'express';
import { buildAnswer } from './build-answer.ts';
import { messageOf } from './message-of.ts';
import type { createLoadContext, LoadedContext } from './load-context.ts';

export type ContextRoutesDeps = Readonly<{
  loadContext: ReturnType<typeof createLoadContext>;
  defaultUserId: string;
}>;

const NOTHING: LoadedContext = {
  profile: [],
  hits: [],
  userSummary: null,
  conversationSummary: null,
  gated: false,
  degraded: null,
};

/** `POST /context`: what Factmill knows about a message, ready to go into a prompt. */
export function contextRoutes({ loadContext, defaultUserId }: ContextRoutesDeps): Router {
  const router = Router();
  router.post('/context', requirePermission('memory.read'), async (request, response) => {
    const body = validate(contextRequestSchema, request.body);
    if (messageOf(body).trim() === '' && body.format !== 'summary') {
      throw new AppError('invalid_request', 'There is no message to remember for.', {
        fields: [{ field: 'messages', message: 'has no text of a user; give query' }],
      });
    }
    const { tenantId, ...principal } = principalOf(response);
    const userId = effectiveUser(resolveUser(body.user_id, { tenantId, ...principal }, defaultUserId));
    if (userId === UNKNOWN_USER) {
      response.json({ ...buildAnswer(body, userId, NOTHING), skipped: SKIPPED } satisfies ContextResponse);
      return;
    }
    const context = await loadContext({ tenantId, userId, isAbandoned: () => response.destroyed }, body);
    const answer = buildAnswer(body, userId, context);
    Object.assign(localsOf(response).eventFields, {
      format: body.format,
      memories: answer.memories.length,
      profile: answer.profile.length,
      tokens: answer.tokens,
      gated: context.gated,
      ...(context.degraded === null ? {} : { degraded: context.degraded }),
    });
    response.json(answer);
  });
  return router;
}

const SKIPPED = {
  reason: 'unknown_user',
  detail:
    'No user could be determined, so nothing was looked up. Send user_id, use an API key, or set DEFAULT_USER_ID.',
} as const;
