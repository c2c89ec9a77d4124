import { effectiveUser, ownerOf, principalOf, requirePermission, resolveUser } from '@factmill/auth';
import {
  putSummarySchema,
  type Profile,
  type Summary,
  summaryQuerySchema,
  UNKNOWN_USER,
  userQuerySchema,
} from '@factmill/contracts';
import {
  assertNotHeld,
  audited,
  deleteSummary,
  findConversation,
  findSummary,
  listProfile,
  replaceSummary,
  type SummaryOwner,
  type SummaryRow,
  toMemory,
} from '@factmill/database';
import { AppError } from '@factmill/errors';
import { validate } from '@factmill/http';
import { auditedBy } from '@factmill/runtime';
import { type Response, Router } from 'express';
import { actorOf } from '../actor.ts';
import type { RouteDeps } from '../route-deps.ts';
import { UNKNOWN_USER_SKIPPED } from '../unknown-user.ts';

const PROFILE_LIMIT = 200;

/** `/v1/summary` and `/v1/profile`. */
export function summaryRoutes(deps: RouteDeps): Router {
  const router = Router();
  const read = requirePermission('memory.read');
  const write = requirePermission('memory.write');
  const userOf = (userId: string | undefined, response: Response) =>
    effectiveUser(resolveUser(userId, principalOf(response), deps.config.auth.defaultUserId));

  router.get('/summary', read, async (request, response) => {
    const owner = await summaryOwnerOf(validate(summaryQuerySchema, request.query), response);
    if (owner.userId === UNKNOWN_USER) {
      response.json({ ...toSummary(owner, undefined), ...UNKNOWN_USER_SKIPPED });
      return;
    }
    response.json(toSummary(owner, await findSummary(deps.database.list, owner)));
  });

  router.put('/summary', write, async (request, response) => {
    const { content, ...named } = validate(putSummarySchema, request.body);
    const owner = await summaryOwnerOf(named, response);
    if (owner.userId === UNKNOWN_USER) {
      response.json({ ...toSummary(owner, undefined), ...UNKNOWN_USER_SKIPPED });
      return;
    }
    const row = await replaceSummary(deps.database.accept, owner, {
      content,
      actor: actorOf(response).actor,
    });
    if (row === undefined) throw noConversation();
    response.json(toSummary(owner, row));
  });

  router.delete('/summary', write, async (request, response) => {
    const owner = await summaryOwnerOf(validate(summaryQuerySchema, request.query), response);
    const isDeleted = await audited(
      deps.database.accept,
      async (tx) => {
        await assertNotHeld(tx, owner);
        return deleteSummary(tx, owner);
      },
      (done) => (done ? { ...auditedBy(response), action: 'summary.deleted', userId: owner.userId } : null),
    );
    if (!isDeleted) throw new AppError('not_found', 'There is no such summary.');
    response.status(204).end();
  });

  router.get('/profile', read, async (request, response) => {
    const userId = userOf(validate(userQuerySchema, request.query).user_id, response);
    if (userId === UNKNOWN_USER) {
      response.json({ memories: [], text: '', ...UNKNOWN_USER_SKIPPED });
      return;
    }
    const { tenantId } = principalOf(response);
    const memories = await listProfile(deps.database.list, { tenantId, userId, limit: PROFILE_LIMIT });
    const profile: Profile = {
      user_id: userId,
      memories: memories.map(toMemory),
      text: memories.map(({ content }) => `- ${content.replaceAll(/\s+/g, ' ').trim()}`).join('\n'),
    };
    response.json(profile);
  });

  /** The owner of the requested summary. A conversation determines its user; a user in the request must match. */
  async function summaryOwnerOf(
    named: Readonly<{ user_id?: string | undefined; conversation_id?: string | undefined }>,
    response: Response,
  ): Promise<SummaryOwner> {
    const principal = principalOf(response);
    const { tenantId } = principal;
    const conversationId = named.conversation_id;
    if (conversationId === undefined) {
      return { tenantId, userId: userOf(named.user_id, response), conversationId: null };
    }
    const owner = ownerOf(named.user_id, principal);
    const conversation = await findConversation(deps.database.list, tenantId, conversationId);
    if (conversation === undefined || (owner ?? conversation.userId) !== conversation.userId) {
      throw noConversation();
    }
    return { tenantId, userId: conversation.userId, conversationId };
  }

  return router;
}

function noConversation(): AppError {
  return new AppError('not_found', 'There is no conversation with this id.');
}

function toSummary(owner: SummaryOwner, row: SummaryRow | undefined): Summary {
  return {
    user_id: owner.userId,
    conversation_id: owner.conversationId,
    content: row?.content ?? null,
    source: row?.source ?? null,
    updated_at: row?.updatedAt?.toISOString() ?? null,
    stale: row?.stale ?? false,
  };
}
