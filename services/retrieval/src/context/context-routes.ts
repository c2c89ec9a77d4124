import { effectiveUser, principalOf, requirePermission, resolveUser } from '@factmill/auth';
import {
  type ContextRequest,
  contextRequestSchema,
  type ContextResponse,
  MEMORY_OFF,
  type Policy,
  UNKNOWN_USER,
} from '@factmill/contracts';
import { type DatabasePool, findConversation } from '@factmill/database';
import { AppError } from '@factmill/errors';
import { presetNamed } from '@factmill/extraction';
import { localsOf, validate } from '@factmill/http';
import type { UserDefaultsReader } from '@factmill/runtime';
import type { MemoryNumbers } from '@factmill/search';
import { Router } from 'express';
import { buildAnswer } from './build-answer.ts';
import { type ContextSettings, contextSettingsOf } from './context-settings.ts';
import { messageOf } from './message-of.ts';
import { numbersOf } from './preset-numbers.ts';
import type { createLoadContext, LoadedContext } from './load-context.ts';

export type ContextRoutesDeps = Readonly<{
  database: DatabasePool;
  loadContext: ReturnType<typeof createLoadContext>;
  defaultUserId: string;
  /** Of the deployment. */
  preset: string;
  userDefaults: UserDefaultsReader;
  numbers: MemoryNumbers;
}>;

const NOTHING: LoadedContext = {
  profile: [],
  hits: [],
  userSummary: null,
  conversationSummary: null,
  gated: false,
  degraded: null,
  explain: null,
};

/** `POST /context`: what Factmill knows about a message, ready to go into a prompt. */
export function contextRoutes(deps: ContextRoutesDeps): Router {
  const { loadContext, defaultUserId } = deps;
  const router = Router();

  /** The conversation's policy counts before what the key, the user, the tenant and the deployment say. */
  async function settingsOf(
    request: ContextRequest,
    { tenantId, userId, preset: ownPreset }: Readonly<{ tenantId: string; userId: string; preset: string }>,
  ): Promise<ContextSettings> {
    const { conversation_id: id } = request;
    const conversation = id === undefined ? undefined : await findConversation(deps.database, tenantId, id);
    const policy: Policy = conversation?.userId === userId ? conversation.policy : {};
    const preset = presetNamed(request.preset ?? policy.preset ?? ownPreset);
    return contextSettingsOf(request, preset, policy, numbersOf(policy, deps.numbers));
  }

  router.post('/context', requirePermission('memory.read'), async (request, response) => {
    const body = validate(contextRequestSchema, request.body);
    if (messageOf(body).trim() === '' && body.format !== 'summary' && body.format !== 'preset') {
      throw new AppError('invalid_request', 'There is no message to remember for.', {
        fields: [{ field: 'messages', message: 'has no text of a user; give query' }],
      });
    }
    const principal = principalOf(response);
    const { tenantId, preset: keyPreset } = principal;
    const userId = effectiveUser(resolveUser(body.user_id, principal, defaultUserId));
    if (userId === UNKNOWN_USER) {
      const settings = contextSettingsOf(body, presetNamed(deps.preset), {}, deps.numbers);
      const nothing = buildAnswer(body, settings, userId, NOTHING);
      response.json({ ...nothing, skipped: SKIPPED } satisfies ContextResponse);
      return;
    }
    const defaults = await deps.userDefaults({ tenantId, userId });
    const preset = keyPreset ?? defaults.preset ?? deps.preset;
    if (!defaults.memory) {
      const settings = contextSettingsOf(body, presetNamed(body.preset ?? preset), {}, deps.numbers);
      const nothing = buildAnswer(body, settings, userId, NOTHING);
      response.json({ ...nothing, skipped: MEMORY_OFF } satisfies ContextResponse);
      return;
    }
    const settings = await settingsOf(body, { tenantId, userId, preset });
    const owner = { tenantId, userId, isAbandoned: () => response.destroyed };
    const context = await loadContext(owner, body, settings);
    const answer = buildAnswer(body, settings, userId, context);
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
