import {
  countExtractionsQuerySchema,
  extractionCountsSchema,
  extractionSeriesQuerySchema,
  extractionSeriesSchema,
} from './extraction-counts.ts';
import { extractionAnswerSchema, extractionStepSchema } from './extraction-steps.ts';
import { userQuerySchema } from './conversations.ts';
import { listSchema } from './list.ts';
import { memorySchema } from './memories.ts';
import { listNeighboursQuerySchema, memoryNeighboursSchema, memorySourcesSchema } from './memory-insight.ts';
import type { Operation } from './operation.ts';
import { tenantStatisticsSchema } from './tenant-statistics.ts';

/** What the ledger and memories say when they are asked about themselves. */
export const INSIGHT_OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/v1/extractions/counts',
    tag: 'Extractions',
    summary: 'Count what was accepted in a period by state, reason, error and trigger',
    permission: 'memory.read',
    acrossUsers: 'by_default',
    query: countExtractionsQuerySchema,
    status: 200,
    response: extractionCountsSchema,
  },
  {
    method: 'get',
    path: '/v1/extractions/series',
    tag: 'Extractions',
    summary:
      'What was accepted by minute, hour or day, what has become of it, how long it took, and its tokens',
    permission: 'memory.read',
    acrossUsers: 'by_default',
    query: extractionSeriesQuerySchema,
    status: 200,
    response: extractionSeriesSchema,
  },
  {
    method: 'get',
    path: '/v1/extractions/{id}/timeline',
    tag: 'Extractions',
    summary: 'What happened to an extraction, in order, without text',
    permission: 'memory.read',
    status: 200,
    response: listSchema(extractionStepSchema),
  },
  {
    method: 'get',
    path: '/v1/extractions/{id}/answers',
    tag: 'Extractions',
    summary: 'What models replied, word for word, in order',
    permission: 'admin',
    status: 200,
    response: listSchema(extractionAnswerSchema),
  },
  {
    method: 'get',
    path: '/v1/memories/{id}/sources',
    tag: 'Memories',
    summary: 'The messages that a memory rests on, with those around them',
    permission: 'memory.read',
    query: userQuerySchema,
    status: 200,
    response: memorySourcesSchema,
  },
  {
    method: 'get',
    path: '/v1/memories/{id}/neighbours',
    tag: 'Memories',
    summary: 'The user’s current memories that are most like one, by their vectors',
    permission: 'memory.read',
    query: listNeighboursQuerySchema,
    status: 200,
    response: memoryNeighboursSchema,
  },
  {
    method: 'post',
    path: '/v1/memories/{id}/archive',
    tag: 'Memories',
    summary: 'Archive a current memory: searches no longer find it, and it can be restored',
    permission: 'memory.write',
    query: userQuerySchema,
    status: 200,
    response: memorySchema,
  },
  {
    method: 'get',
    path: '/v1/stats/tenant',
    tag: 'Users',
    summary: 'Count what is kept of all users of the tenant, and what waits',
    permission: 'memory.read_all',
    status: 200,
    response: tenantStatisticsSchema,
  },
];
