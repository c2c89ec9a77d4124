import { assertAllUsers, principalOf, requirePermission } from '@factmill/auth';
import {
  listReplaysQuerySchema,
  REPLAY_CHANGES,
  type Replay,
  replayDiffQuerySchema,
  RULES_MODEL,
  startReplaySchema,
  timestampSchema,
  userIdSchema,
  uuidSchema,
} from '@factmill/contracts';
import {
  countReplayDiff,
  findReplay,
  insertReplay,
  listReplayDiff,
  listReplayHeads,
  listReplays,
  type ListedReplay,
  readScopeCost,
} from '@factmill/database';
import { AppError } from '@factmill/errors';
import { parseTemplate, presetNamed } from '@factmill/extraction';
import { decodeCursor, encodeCursor, validate } from '@factmill/http';
import { replayJob } from '@factmill/queue';
import { type Request, type Response, Router } from 'express';
import { z } from 'zod';
import { enqueueSoon } from '../enqueue-soon.ts';
import { listedUser } from '../listed-user.ts';
import { createChangeReplay, recordReplay, replayNamed, replayNotFound } from '../replays/change-replay.ts';
import { estimateReplay } from '../replays/estimate-replay.ts';
import { renderDiff } from '../replays/render-diff.ts';
import { toDiffItem, toReplay } from '../replays/replay-form.ts';
import type { RouteDeps } from '../route-deps.ts';

const positionSchema = z.tuple([timestampSchema, uuidSchema]);
const diffPositionSchema = z.tuple([userIdSchema, uuidSchema]);

/** Maximum of extractions in one replay. */
const MAX_EXTRACTIONS = 10_000;
/** Runs that begin at once; the others follow these, or are found by the next look at open runs. */
const MAX_HEADS = 100;

/** `/v1/replays` (G5): shadow replays, for administrators of a tenant. */
export function replayRoutes(deps: RouteDeps): Router {
  const router = Router();
  const changing = createChangeReplay(deps);
  router.use(requirePermission('admin'));

  router.post('/', async (request, response) => {
    const body = validate(startReplaySchema, request.body);
    const scope = {
      tenantId: principalOf(response).tenantId,
      userId: listedUser(body, response),
      since: body.since ?? null,
      until: body.until ?? null,
    };
    assertAnswerable(deps, body);
    const estimate = estimateReplay(
      await readScopeCost(deps.database.batch, scope),
      body.model ?? null,
      deps.config,
    );
    if (body.dry_run) {
      response.json(toEstimated(body, scope.userId, estimate, deps.now()));
      return;
    }
    if (estimate.extractions > MAX_EXTRACTIONS) {
      throw invalid(
        'since',
        `covers ${estimate.extractions} extractions, and at most ${MAX_EXTRACTIONS} go into one replay`,
      );
    }
    const id = deps.newId();
    const settings = { preset: body.preset ?? null, model: body.model ?? null, prompt: body.prompt ?? null };
    const replay = await deps.database.batch.transaction(async (tx) => {
      await insertReplay(tx, { id, ...scope, ...settings, estimate });
      return recordReplay(tx, response, id, 'replay.started');
    });
    if (replay === undefined) throw replayNotFound();
    await begin(replay, response);
    response.status(202).json(toReplay(replay));
  });

  router.get('/', async (request, response) => {
    const query = validate(listReplaysQuerySchema, request.query);
    const position = decodeCursor(query.cursor, positionSchema);
    const rows = await listReplays(deps.database.list, {
      tenantId: principalOf(response).tenantId,
      userId: listedUser(query, response),
      before: position === null ? null : { position: position[0], id: position[1] },
      limit: query.limit + 1,
    });
    const data = rows.slice(0, query.limit);
    const last = data.at(-1);
    const hasMore = rows.length > data.length && last !== undefined;
    response.json({
      data: data.map(toReplay),
      next_cursor: hasMore ? encodeCursor([last.position, last.id]) : null,
    });
  });

  router.get('/:id', async (request, response) => {
    response.json(toReplay(await find(request, response)));
  });

  router.get('/:id/diff', async (request, response) => {
    const query = validate(replayDiffQuerySchema, request.query);
    const replay = await find(request, response);
    if (replay.userId === null) assertAllUsers(principalOf(response));
    const target = { tenantId: principalOf(response).tenantId, replayId: replay.id, userId: replay.userId };
    const position = decodeCursor(query.cursor, diffPositionSchema);
    const rows = await listReplayDiff(deps.database.batch, target, {
      changes:
        query.change === undefined ? REPLAY_CHANGES.filter((change) => change !== 'same') : [query.change],
      after: position === null ? null : { userId: position[0], id: position[1] },
      limit: query.limit + 1,
    });
    const page = rows.slice(0, query.limit);
    const last = page.at(-1);
    const hasMore = rows.length > page.length && last !== undefined;
    const diff = {
      counts: await countReplayDiff(deps.database.batch, target),
      data: page.map(toDiffItem),
      next_cursor: hasMore ? encodeCursor([last.userId, last.position]) : null,
    };
    if (query.format === 'json') response.json(diff);
    else response.type('text/plain').send(renderDiff(diff, replay.userId === null));
  });

  router.post('/:id/apply', async (request, response) => {
    const replay = await changing.apply(request, response);
    await begin(replay, response);
    response.status(202).json(toReplay(replay));
  });

  router.post('/:id/undo', async (request, response) => {
    const replay = await changing.undo(request, response);
    await begin(replay, response);
    response.status(202).json(toReplay(replay));
  });

  router.post('/:id/discard', async (request, response) => {
    response.json(toReplay(await changing.discard(request, response)));
  });

  router.delete('/:id', async (request, response) => {
    await changing.remove(request, response);
    response.status(204).end();
  });

  async function find(request: Request, response: Response): Promise<ListedReplay> {
    const replay = await findReplay(deps.database.list, replayNamed(request, response));
    if (replay === undefined) throw replayNotFound();
    return replay;
  }

  async function begin({ id }: ListedReplay, response: Response): Promise<void> {
    const { tenantId } = principalOf(response);
    const heads = await listReplayHeads(deps.database.list, { tenantId, id, limit: MAX_HEADS });
    for (const run of heads) await enqueueSoon(deps, replayJob(run));
  }

  return router;
}

type StartReplay = z.output<typeof startReplaySchema>;

/** @throws AppError `invalid_request` when nobody could answer with these settings */
function assertAnswerable({ config }: RouteDeps, { model, preset, prompt }: StartReplay): void {
  const hasModel = config.extractor.chatModel !== null;
  if (model !== undefined && model !== RULES_MODEL && !hasModel) {
    throw invalid('model', 'needs an endpoint: set LLM_BASE_URL and LLM_MODEL');
  }
  if (prompt === undefined || preset === undefined) return;
  if (!hasModel || model === RULES_MODEL) throw invalid('prompt', 'needs a model to read it');
  const { problems } = parseTemplate(presetNamed(preset).prompt, prompt);
  if (problems.length > 0) throw invalid('prompt', problems.join('; '));
}

function toEstimated(
  body: StartReplay,
  userId: string | null,
  estimate: Replay['estimate'],
  now: Date,
): Replay {
  return {
    id: null,
    state: 'estimated',
    user_id: userId,
    since: body.since ?? null,
    until: body.until ?? null,
    preset: body.preset ?? null,
    model: body.model ?? null,
    own_prompt: body.prompt !== undefined,
    estimate,
    progress: { runs: estimate.extractions, done: 0, failed: 0 },
    deferred_until: null,
    reason: null,
    error: null,
    usage: { model_calls: 0, prompt_tokens: 0, completion_tokens: 0 },
    created_at: now.toISOString(),
    finished_at: null,
  };
}

function invalid(field: string, message: string): AppError {
  return new AppError('invalid_request', `${field}: ${message}.`, { fields: [{ field, message }] });
}
