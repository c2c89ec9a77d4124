import type { Router } from 'express';
import type { RouteDeps } from '../route-deps.ts';
import { apiKeyRoutes } from './api-keys.ts';
import { auditRoutes } from './audit.ts';
import { clearRoutes } from './clear.ts';
import { compressionRoutes } from './compressions.ts';
import { conversationRoutes } from './conversations.ts';
import { documentRoutes } from './documents.ts';
import { eventRoutes } from './events.ts';
import { exportRoutes } from './exports.ts';
import { extractionInsightRoutes } from './extraction-insight.ts';
import { extractionRoutes } from './extractions.ts';
import { importRoutes } from './imports.ts';
import { legalHoldRoutes } from './legal-holds.ts';
import { memoryRoutes } from './memories.ts';
import { memoryInsightRoutes } from './memory-insight.ts';
import { queueRoutes } from './queue.ts';
import { replayRoutes } from './replays.ts';
import { retentionRoutes } from './retention.ts';
import { settingRoutes } from './settings.ts';
import { vectorRoutes } from './vectors.ts';
import { createMemoryTool } from '../tools/memory-tool.ts';
import { toolRoutes } from '../tools/tool-routes.ts';
import { statisticsRoutes } from './statistics.ts';
import { retrievalRoutes } from './retrieval.ts';
import { summaryRoutes } from './summaries.ts';
import { tenantStatisticsRoutes } from './tenant-statistics.ts';
import { tenantRoutes } from './tenants.ts';
import { usageRoutes } from './usage.ts';
import { userRoutes } from './users.ts';
import { webhookRoutes } from './webhooks.ts';

/** The REST API: where each router is mounted, in order. Tested against the operations of the contract. */
export function v1Routes(deps: RouteDeps): readonly Readonly<{ path: string; router: Router }>[] {
  return [
    { path: '/v1/extractions', router: extractionInsightRoutes(deps) },
    { path: '/v1/extractions', router: extractionRoutes(deps) },
    { path: '/v1/conversations', router: conversationRoutes(deps) },
    { path: '/v1/memories', router: memoryRoutes(deps) },
    { path: '/v1/memories', router: memoryInsightRoutes(deps) },
    { path: '/v1/memories', router: importRoutes(deps) },
    { path: '/v1/memories', router: clearRoutes(deps) },
    { path: '/v1/documents', router: documentRoutes(deps) },
    { path: '/v1/events', router: eventRoutes(deps) },
    { path: '/v1/webhooks', router: webhookRoutes(deps) },
    { path: '/v1/api-keys', router: apiKeyRoutes(deps) },
    { path: '/v1/audit', router: auditRoutes(deps) },
    { path: '/v1/retention', router: retentionRoutes(deps) },
    { path: '/v1/legal-holds', router: legalHoldRoutes(deps) },
    { path: '/v1/queue', router: queueRoutes(deps) },
    { path: '/v1/replays', router: replayRoutes(deps) },
    { path: '/v1/usage', router: usageRoutes(deps) },
    { path: '/v1/tenants', router: tenantRoutes(deps) },
    { path: '/v1/settings', router: settingRoutes(deps) },
    { path: '/v1/compressions', router: compressionRoutes(deps) },
    { path: '/v1/vectors', router: vectorRoutes(deps) },
    { path: '/v1', router: summaryRoutes(deps) },
    { path: '/v1', router: userRoutes(deps) },
    { path: '/v1', router: exportRoutes(deps) },
    { path: '/v1/stats', router: statisticsRoutes(deps) },
    { path: '/v1/stats', router: tenantStatisticsRoutes(deps) },
    { path: '/v1/tools', router: toolRoutes(createMemoryTool(deps)) },
    { path: '/v1', router: retrievalRoutes(deps) },
  ];
}
