import { assertPermission, effectiveUser, type Principal, resolveUser } from '@factmill/auth';
import {
  GLOBAL_SCOPE,
  listMemoriesQuerySchema,
  type Memory,
  type MemoryToolRequest,
  type MemoryToolResponse,
  MEMORY_OFF,
  searchResponseSchema,
  stripInvisible,
  timestampSchema,
  type ToolMemory,
  UNKNOWN_USER,
  uuidSchema,
} from '@factmill/contracts';
import { type Actor, deleteMemories, findMemory, listMemories, toMemory } from '@factmill/database';
import { AppError } from '@factmill/errors';
import { screenToolSave, type StatementRefusal } from '@factmill/extraction';
import { decodeCursor, encodeCursor } from '@factmill/http';
import { contentOfFields } from '@factmill/memories';
import { z } from 'zod';
import { createMemoryService } from '../memories/memory-service.ts';
import type { RouteDeps } from '../route-deps.ts';
import { UNKNOWN_USER_SKIPPED } from '../unknown-user.ts';
import { callRetrieval } from './call-retrieval.ts';

/** The caller of the tool. */
export type ToolCaller = Readonly<{
  principal: Principal;
  actor: Actor;
  /** For the retrieval service. */
  credentials: Readonly<Record<string, string>>;
}>;

export type MemoryTool = (call: MemoryToolRequest, caller: ToolCaller) => Promise<MemoryToolResponse>;

const DEFAULT_SEARCH_LIMIT = 15;
const DEFAULT_LIST_LIMIT = 100;

const positionSchema = z.tuple([timestampSchema, uuidSchema]);

/**
 * The one memory tool for agents (D16): save, search, forget, list, through the same storage and retrieval as
 * everything else.
 *
 * Memories that a model saves are screened like extracted ones; people write memories by `/v1/memories`.
 *
 * @throws AppError `memory_refused`, `forbidden`, `memory_conflict`, `retrieval_unavailable`, `database_unavailable`
 */
export function createMemoryTool(deps: RouteDeps): MemoryTool {
  const service = createMemoryService(deps);
  return async (call, caller) => {
    const { principal } = caller;
    const writes = call.action === 'save' || call.action === 'forget';
    assertPermission(principal, writes ? 'memory.write' : 'memory.read');
    const userId = effectiveUser(resolveUser(call.user_id, principal, deps.config.auth.defaultUserId));
    const common = { action: call.action, user_id: userId };
    if (userId === UNKNOWN_USER) return { ...common, ...UNKNOWN_USER_SKIPPED };
    const owner = { tenantId: principal.tenantId, userId };
    const remembers = call.action === 'save' || call.action === 'search';
    if (remembers && !(await deps.userDefaults(owner)).memory) return { ...common, skipped: MEMORY_OFF };
    // Searches wait for their turn in the retrieval service.
    if (call.action === 'search') {
      return { ...common, ...(await search(owner, call, caller.credentials)) };
    }
    const endTurn = await deps.takeTurn(owner.tenantId);
    try {
      return { ...common, ...(await work(owner, call, caller.actor)) };
    } finally {
      endTurn();
    }
  };

  type Owner = Readonly<{ tenantId: string; userId: string }>;

  async function work(
    owner: Owner,
    call: MemoryToolRequest,
    actor: Actor,
  ): Promise<Pick<MemoryToolResponse, 'memory' | 'deleted' | 'memories' | 'next_cursor'>> {
    switch (call.action) {
      case 'save':
        return { memory: await save(owner, call, actor) };
      case 'forget': {
        const target = { ...owner, id: null, key: call.key ?? null, category: call.category ?? null };
        return { deleted: (await deleteMemories(deps.database.batch, target, actor)).length };
      }
      default:
        return list(owner, call);
    }
  }

  async function save(owner: Owner, call: MemoryToolRequest, actor: Actor): Promise<ToolMemory> {
    const { key, value, content, category, source, confidence, expires_days, source_context } = visible(call);
    const statement = key === undefined ? (content ?? '') : contentOfFields({ key, value });
    // Both without invisible characters and as written: only the latter shows a disguise.
    const texts = [value, content, category, source_context, call.value, call.content];
    const refusal = screenToolSave({ key, texts, statement });
    if (refusal !== null) throw refused(refusal);
    const input = {
      ...(key === undefined ? { content } : { key, value }),
      category,
      source: source ?? 'user',
      confidence,
      expires_in_days: expires_days,
      source_context,
    };
    const given = Object.fromEntries(Object.entries(input).filter(([, field]) => field !== undefined));
    const [written] = await service.save(owner.tenantId, [{ userId: owner.userId, input: given }], actor);
    const id = written?.id ?? null;
    const row = id === null ? undefined : await findMemory(deps.database.list, { ...owner, id });
    if (row === undefined) {
      throw new AppError('memory_conflict', 'The memory was changed by another request; send it again.');
    }
    return toToolMemory(toMemory(row));
  }

  async function search(
    owner: Owner,
    call: MemoryToolRequest,
    credentials: ToolCaller['credentials'],
  ): Promise<Pick<MemoryToolResponse, 'memories' | 'degraded'>> {
    const limit = call.limit ?? DEFAULT_SEARCH_LIMIT;
    // The tool does not know its conversation, so it searches no memories of a single conversation.
    const body = { user_id: owner.userId, query: call.query, limit, scopes: [GLOBAL_SCOPE] };
    const path = '/v1/memories/search';
    const { results, degraded } = searchResponseSchema.parse(
      await callRetrieval(deps.retrieval, { path, owner, headers: credentials, body }),
    );
    return {
      memories: results.map(({ memory, score }) => ({ ...toToolMemory(memory), score })),
      ...(degraded === undefined ? {} : { degraded }),
    };
  }

  async function list(
    owner: Owner,
    call: MemoryToolRequest,
  ): Promise<Pick<MemoryToolResponse, 'memories' | 'next_cursor'>> {
    const query = listMemoriesQuerySchema.parse({
      limit: String(call.limit ?? DEFAULT_LIST_LIMIT),
      scope: GLOBAL_SCOPE,
      ...(call.category === undefined ? {} : { category: call.category }),
    });
    const after = decodeCursor(call.cursor, positionSchema);
    const rows = await listMemories(deps.database.list, { ...owner, query, pattern: null, after });
    const last = rows.at(-1);
    return {
      memories: rows.map((row) => toToolMemory(toMemory(row))),
      next_cursor: last?.more === true ? encodeCursor([last.position, last.id]) : null,
    };
  }
}

const REFUSALS: Readonly<Record<StatementRefusal, string>> = {
  secret: 'it holds a password, key or number that has to stay secret',
  markup: 'it holds HTML, a picture or a link behind words',
  encoded: 'it holds encoded text',
  plays_role: 'it holds a role label, a tag of prompts or a control token',
  about_assistant: 'it is about the assistant, not about the user',
  about_others: 'it is about other users',
  instruction: 'it gives orders to its reader instead of stating something',
  disguised: 'it is written in letters that hide what it says',
  unsupported_link: 'it holds an address with a query, a port or a number for a host',
  unsupported_privilege: 'it grants rights or trust',
};

/** A call without invisible characters. */
function visible(call: MemoryToolRequest): MemoryToolRequest {
  const seen = Object.entries(call).map(([field, value]) => [
    field,
    typeof value === 'string' ? stripInvisible(value) : value,
  ]);
  return Object.fromEntries(seen) as MemoryToolRequest;
}

function refused(reason: StatementRefusal): AppError {
  return new AppError(
    'memory_refused',
    `Not saved: ${REFUSALS[reason]}. Save a plain statement about the user; what has to be kept as it is can be written by POST /v1/memories.`,
  );
}

function toToolMemory(memory: Memory): ToolMemory {
  const { id, category, key, value, content, confidence, source, updated_at } = memory;
  return { id, category, key, value, content, confidence, source, updated_at };
}
