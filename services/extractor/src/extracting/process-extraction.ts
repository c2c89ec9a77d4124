import { type Claim, type ClaimAnswer, claimExtraction, type DatabasePool, failExtraction, listMessages, listRecentMemories } from '@factmill/database';
import {
  buildTranscript,
  type Candidate,
  getPreset,
  parseReply,
  type Preset,
  presets,
  toCandidates,
  type TranscriptMessage,
} from '@factmill/extraction';
import { AppError, isAppError } from '@factmill/errors';
import type { JobContext, JobOutcome } from '@factmill/queue';
import { createCounter, type Logger, withSpan } from '@factmill/telemetry';
import type { createApplyAnswer } from './apply-answer.ts';
import { type EmbedTexts, embedOrLater } from './embed-candidates.ts';
import { LEASE_MS, type Leases } from './leases.ts';
import type { createObtainAnswer } from './obtain-answer.ts';
import type { ProviderHealth } from './provider-health.ts';
import type { Provider, Question } from './providers.ts';
import { type createSettleFailure, waitForDatabase } from './settle-failure.ts';

export type ProcessDeps = Readonly<{
  database: DatabasePool;
  leases: Leases;
  provider: Provider;
  health: ProviderHealth;
  obtainAnswer: ReturnType<typeof createObtainAnswer>;
  /** Null when no embedding model is configured. */
  embedTexts: EmbedTexts | null;
  applyAnswer: ReturnType<typeof createApplyAnswer>;
  settleFailure: ReturnType<typeof createSettleFailure>;
  /** Has vectors computed for memories that lack them. */
  embedLater: (tenantId: string, memoryIds: readonly string[]) => Promise<void>;
  workerId: string;
  logger: Logger;
  random: () => number;
  now: () => Date;
}>;

export type ProcessExtraction = Readonly<{
  process: (job: ExtractJob, context: JobContext) => Promise<JobOutcome>;
  /** Aborts what still runs and hands it back; resolves when all of it has. */
  close: () => Promise<void>;
}>;

type ExtractJob = Readonly<{ extractionId: string; tenantId: string }>;

/** An extraction that so many workers in a row never came back from kills them. */
const MAX_LOST_CLAIMS = 20;

/** How long a job waits that an earlier run in this process is still working on. */
const HELD_DELAY_MS = 1_000;

/**
 * One job: claim → messages → known memories → model → pin → embed → apply. Every step can be repeated: what
 * has been pinned is not asked again, what has been applied is not applied again.
 *
 * A run goes on when the queue loses its job (Redis flushed or away): the lease in the ledger, not the lock in the
 * queue, says who may work, and the model is being paid already. It ends when the lease is lost, the time limit is
 * over, or the process stops.
 */
export function createProcessExtraction(deps: ProcessDeps): ProcessExtraction {
  const countEnded = createCounter('factmill_extractions_total', 'Extractions by how this run of them ended');

  const running = new Set<Promise<JobOutcome>>();
  const stopping = new AbortController();

  return {
    async process(job, context) {
      const run = processExtraction(job, context);
      running.add(run);
      try {
        return await run;
      } finally {
        running.delete(run);
      }
    },
    async close() {
      stopping.abort(new AppError('shutting_down', 'The worker is stopping.'));
      await Promise.allSettled(running);
    },
  };

  async function processExtraction(job: ExtractJob, context: JobContext): Promise<JobOutcome> {
    if (deps.leases.isHeld(job.extractionId)) return { kind: 'delay', ms: HELD_DELAY_MS };
    let answer: ClaimAnswer;
    try {
      answer = await claimExtraction(deps.database, {
        tenantId: job.tenantId,
        id: job.extractionId,
        workerId: deps.workerId,
        leaseMs: LEASE_MS,
      });
    } catch (error) {
      if (isAppError(error) && error.code === 'database_unavailable') {
        return waitForDatabase(context.attemptStarted, deps.random);
      }
      throw error;
    }
    if (answer.kind === 'over') return { kind: 'done', counts: { already_over: 1 } };
    if (answer.kind === 'leased') return { kind: 'delay', ms: answer.retryInMs };
    const { claim } = answer;
    const startedAt = performance.now();
    return withSpan(
      'extract',
      {
        kind: 'consumer',
        traceparent: claim.traceparent,
        attributes: { 'factmill.extraction_id': claim.id, 'factmill.fence': claim.fence },
      },
      async () => {
        const outcome = await run(claim, context);
        countEnded(1, { outcome: outcome.kind });
        deps.logger.info(
          {
            extraction_id: claim.id,
            tenant_id: claim.tenantId,
            outcome: outcome.kind,
            duration_ms: Math.round(performance.now() - startedAt),
            ...(outcome.kind === 'done' ? outcome.counts : {}),
          },
          'extraction',
        );
        return outcome;
      },
    );
  }

  async function run(claim: Claim, context: JobContext): Promise<JobOutcome> {
    const lease = deps.leases.hold(claim);
    const signal = AbortSignal.any([withoutLockLoss(context.signal), lease.signal, stopping.signal]);
    const round = deps.health.round();
    try {
      if (claim.lostClaims >= MAX_LOST_CLAIMS) {
        await failExtraction(deps.database, claim, {
          errorClass: 'poisoned',
          errorMessage: `${MAX_LOST_CLAIMS} workers in a row did not survive this extraction; replay it after finding out why.`,
        });
        return { kind: 'fail', reason: 'poisoned' };
      }
      return { kind: 'done', counts: await extract(claim, signal) };
    } catch (error) {
      return await deps.settleFailure(claim, error, { signal, round, attemptStarted: context.attemptStarted });
    } finally {
      lease.release();
    }
  }

  async function extract(claim: Claim, signal: AbortSignal): Promise<Record<string, number>> {
    const preset = getPreset(claim.preset) ?? standard();
    const messages = await loadMessages(claim);
    const answer = await deps.obtainAnswer(
      claim,
      () => loadQuestion(claim, messages, preset, signal),
      signal,
    );
    if (answer?.isNew === true) deps.health.answered();

    const parsed = answer === null ? null : parseReply(answer.output.raw);
    const { candidates, rejected } =
      parsed === null
        ? { candidates: [] as Candidate[], rejected: [] }
        : toCandidates(parsed, { messages, preset, now: deps.now() });

    const { embedTexts } = deps;
    const embedStartedAt = performance.now();
    const vectors =
      embedTexts === null
        ? null
        : await embedOrLater(embedTexts, candidates.map((candidate) => candidate.content), signal, deps.logger);
    signal.throwIfAborted();

    const degraded = [
      ...(parsed?.status === 'truncated' || answer?.output.finishReason === 'length' ? ['reply_truncated'] : []),
      ...(embedTexts !== null && vectors === null && candidates.length > 0 ? ['embedding_unavailable'] : []),
    ];
    const applied = await deps.applyAnswer({
      claim,
      candidates,
      rejected,
      vectors,
      wantsEmbedding: embedTexts !== null,
      embedMs: vectors === null ? null : Math.round(performance.now() - embedStartedAt),
      degraded: degraded.length === 0 ? null : degraded.join(','),
    });
    if (applied.withoutVector.length > 0) await deps.embedLater(claim.tenantId, applied.withoutVector);
    return applied.counts;
  }

  async function loadMessages(claim: Claim): Promise<TranscriptMessage[]> {
    const rows = await listMessages(deps.database, {
      tenantId: claim.tenantId,
      conversationId: claim.conversationId,
      afterSeq: claim.fromSeq - 1,
      toSeq: claim.toSeq,
      includeSuperseded: false,
      limit: null,
    });
    return rows.map((row) => ({
      id: row.id,
      seq: row.seq,
      role: row.role,
      content: row.content,
      createdAt: row.createdAt,
      ...(row.name === null ? {} : { name: row.name }),
    }));
  }

  /** Null when nobody said anything: then there is nothing to ask. */
  async function loadQuestion(
    claim: Claim,
    messages: readonly TranscriptMessage[],
    preset: Preset,
    signal: AbortSignal,
  ): Promise<Question | null> {
    const transcript = buildTranscript([...messages], preset);
    if (transcript.text === '') return null;
    const known = deps.provider.wantsKnown
      ? await listRecentMemories(deps.database, {
          tenantId: claim.tenantId,
          userId: claim.userId,
          limit: preset.knownMemoryLimit,
        })
      : [];
    return { messages, transcript, known, preset, now: deps.now(), signal };
  }
}

/** The queue's signal, less the one reason that does not end a run. */
function withoutLockLoss(queueSignal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const pass = () => {
    const reason: unknown = queueSignal.reason;
    if (!isAppError(reason) || reason.code !== 'fenced') controller.abort(reason);
  };
  if (queueSignal.aborted) pass();
  else queueSignal.addEventListener('abort', pass, { once: true });
  return controller.signal;
}

function standard(): Preset {
  const preset = presets.get('standard');
  if (preset === undefined) throw new Error('the preset standard is missing');
  return preset;
}
