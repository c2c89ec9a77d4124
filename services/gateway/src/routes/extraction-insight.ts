import { ownerOf, principalOf, requirePermission } from '@factmill/auth';
import {
  countExtractionsQuerySchema,
  type ExtractionAnswer,
  type ExtractionCounts,
  extractionSeriesQuerySchema,
  uuidParamsSchema,
} from '@factmill/contracts';
import {
  countExtractions,
  type ExtractionRow,
  findExtraction,
  listExtractionSeries,
  listOutputs,
  type StoredOutput,
} from '@factmill/database';
import { AppError } from '@factmill/errors';
import { validate } from '@factmill/http';
import { type Request, type Response, Router } from 'express';
import { fillSeries, seriesPeriod } from '../extractions/series.ts';
import { timelineOf, toAnswer } from '../extractions/timeline.ts';
import { listedUser } from '../listed-user.ts';
import type { RouteDeps } from '../route-deps.ts';

const NO_STATES: ExtractionCounts['by_state'] = {
  pending: 0,
  active: 0,
  done: 0,
  failed: 0,
  dropped: 0,
  skipped: 0,
};

/** `/v1/extractions`: what the ledger says when it is asked about itself. */
export function extractionInsightRoutes(deps: RouteDeps): Router {
  const router = Router();
  const read = requirePermission('memory.read');

  router.get('/counts', read, async (request, response) => {
    const query = validate(countExtractionsQuerySchema, request.query);
    const { counts, isTruncated } = await countExtractions(deps.database.list, {
      tenantId: principalOf(response).tenantId,
      userId: listedUser(query, response),
      since: query.since ?? null,
      until: query.until ?? null,
    });
    response.json({
      ...counts,
      by_state: { ...NO_STATES, ...counts.by_state },
      ...(isTruncated ? { truncated: true } : {}),
    } satisfies ExtractionCounts);
  });

  router.get('/series', read, async (request, response) => {
    const query = validate(extractionSeriesQuerySchema, request.query);
    const period = seriesPeriod(query, deps.now());
    const { points, isTruncated } = await listExtractionSeries(
      deps.database.list,
      {
        tenantId: principalOf(response).tenantId,
        userId: listedUser(query, response),
        since: new Date(period.sinceMs).toISOString(),
        until: new Date(period.untilMs).toISOString(),
      },
      period.interval,
    );
    response.json({
      interval: period.interval,
      data: fillSeries(period, points),
      ...(isTruncated ? { truncated: true } : {}),
    });
  });

  router.get('/:id/timeline', read, async (request, response) => {
    const { row, outputs } = await find(request, response, false);
    response.json({ data: timelineOf(row, outputs), next_cursor: null });
  });

  router.get('/:id/answers', requirePermission('admin'), async (request, response) => {
    const { outputs } = await find(request, response, true);
    response.json({ data: outputs.map(toWholeAnswer), next_cursor: null });
  });

  async function find(
    request: Request,
    response: Response,
    isRaw: boolean,
  ): Promise<Readonly<{ row: ExtractionRow; outputs: StoredOutput[] }>> {
    const { id } = validate(uuidParamsSchema, request.params);
    const principal = principalOf(response);
    const { tenantId } = principal;
    const row = await findExtraction(deps.database.list, tenantId, id, ownerOf(undefined, principal));
    if (row === undefined) throw new AppError('not_found', 'There is no extraction with this id.');
    return { row, outputs: await listOutputs(deps.database.list, { tenantId, extractionId: id, isRaw }) };
  }

  return router;
}

function toWholeAnswer(output: StoredOutput): ExtractionAnswer {
  return {
    at: output.createdAt.toISOString(),
    ...toAnswer(output),
    provider: output.provider,
    raw: output.raw ?? '',
  };
}
