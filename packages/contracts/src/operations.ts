import { ADMIN_OPERATIONS } from './admin-operations.ts';
import { CONVERSATION_OPERATIONS } from './conversation-operations.ts';
import { userQuerySchema } from './conversations.ts';
import {
  documentSchema,
  documentWithContentSchema,
  listDocumentsQuerySchema,
  putDocumentSchema,
} from './documents.ts';
import { INSIGHT_OPERATIONS } from './insight-operations.ts';
import { GOVERNANCE_OPERATIONS } from './governance-operations.ts';
import { contextRequestSchema, contextResponseSchema } from './context.ts';
import { MEMORY_OPERATIONS } from './memory-operations.ts';
import {
  memoryToolDefinitionSchema,
  memoryToolRequestSchema,
  memoryToolResponseSchema,
} from './memory-tool.ts';
import { listSchema } from './list.ts';
import { EVENT_OPERATIONS } from './event-operations.ts';
import type { Operation } from './operation.ts';
import { OPERATOR_OPERATIONS } from './operator-operations.ts';
import { REPLAY_OPERATIONS } from './replay-operations.ts';
import { searchRequestSchema, searchResponseSchema } from './search.ts';
import { statisticsSchema } from './statistics.ts';
import { profileSchema, putSummarySchema, summaryQuerySchema, summarySchema } from './summaries.ts';
import { TENANT_OPERATIONS } from './tenant-operations.ts';

/** Every operation of the REST API: what OpenAPI describes and what the gateway's routes are tested against. */
export const OPERATIONS: readonly Operation[] = [
  ...CONVERSATION_OPERATIONS,
  ...INSIGHT_OPERATIONS,
  ...MEMORY_OPERATIONS,
  {
    method: 'post',
    path: '/v1/documents',
    tag: 'Documents',
    summary: 'Store a context document, or replace the one with that id',
    permission: 'memory.write',
    body: putDocumentSchema,
    status: 201,
    response: documentSchema,
    maySkip: true,
  },
  {
    method: 'get',
    path: '/v1/documents',
    tag: 'Documents',
    summary: 'List a user’s documents without their text, newest first',
    permission: 'memory.read',
    query: listDocumentsQuerySchema,
    status: 200,
    response: listSchema(documentSchema),
    maySkip: true,
  },
  {
    method: 'get',
    path: '/v1/documents/{id}',
    tag: 'Documents',
    summary: 'Get a document with its text',
    permission: 'memory.read',
    query: userQuerySchema,
    status: 200,
    response: documentWithContentSchema,
  },
  {
    method: 'delete',
    path: '/v1/documents/{id}',
    tag: 'Documents',
    summary: 'Delete a document',
    permission: 'memory.write',
    query: userQuerySchema,
    status: 204,
    response: null,
  },
  {
    method: 'post',
    path: '/v1/memories/search',
    tag: 'Search',
    summary: 'Find memories by meaning and words',
    permission: 'memory.read',
    acrossUsers: 'by_request',
    body: searchRequestSchema,
    status: 200,
    response: searchResponseSchema,
  },
  {
    method: 'post',
    path: '/v1/context',
    tag: 'Context',
    summary: 'What is remembered about a user, ready to go into a prompt',
    permission: 'memory.read',
    body: contextRequestSchema,
    status: 200,
    response: contextResponseSchema,
  },
  {
    method: 'get',
    path: '/v1/summary',
    tag: 'Summaries',
    summary: 'Get what is remembered about a user, or of one conversation, as one text',
    permission: 'memory.read',
    query: summaryQuerySchema,
    status: 200,
    response: summarySchema,
    maySkip: true,
  },
  {
    method: 'put',
    path: '/v1/summary',
    tag: 'Summaries',
    summary: 'Replace a summary by hand',
    permission: 'memory.write',
    body: putSummarySchema,
    status: 200,
    response: summarySchema,
    maySkip: true,
  },
  {
    method: 'delete',
    path: '/v1/summary',
    tag: 'Summaries',
    summary: 'Delete a summary with its versions; it is written anew when something changes',
    permission: 'memory.write',
    query: summaryQuerySchema,
    status: 204,
    response: null,
  },
  {
    method: 'get',
    path: '/v1/profile',
    tag: 'Summaries',
    summary: 'Get a user’s core profile: the memories of tier 1',
    permission: 'memory.read',
    query: userQuerySchema,
    status: 200,
    response: profileSchema,
    maySkip: true,
  },
  {
    method: 'get',
    path: '/v1/stats',
    tag: 'Memories',
    summary: 'Count what is kept of a user',
    permission: 'memory.read',
    query: userQuerySchema,
    status: 200,
    response: statisticsSchema,
  },
  {
    method: 'get',
    path: '/v1/tools/memory',
    tag: 'Tools',
    summary: 'The memory tool’s function schema, for `tools` of a chat completion',
    permission: 'memory.read',
    status: 200,
    response: memoryToolDefinitionSchema,
  },
  {
    method: 'post',
    path: '/v1/tools/memory',
    tag: 'Tools',
    summary: 'A call of the memory tool: save, search, forget or list',
    permission: 'memory.read',
    body: memoryToolRequestSchema,
    status: 200,
    response: memoryToolResponseSchema,
  },
  ...TENANT_OPERATIONS,
  ...EVENT_OPERATIONS,
  ...OPERATOR_OPERATIONS,
  ...ADMIN_OPERATIONS,
  ...GOVERNANCE_OPERATIONS,
  ...REPLAY_OPERATIONS,
];
