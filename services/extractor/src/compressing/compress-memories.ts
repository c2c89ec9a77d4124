import {
  type CompressibleMemory,
  compressionClaims,
  type DatabasePool,
  finishCompressionRun,
  lockUserMemories,
  readCompressible,
  type RunClaim,
  saveCompressionPlan,
  type Sql,
} from '@factmill/database';
import { type CompressionDecision, type CompressionPlan, decideCompression } from '@factmill/extraction';
import { ARCHIVE_SCORE, decayedScore, FADING_CATEGORIES } from '@factmill/ranking';
import { withSpan } from '@factmill/telemetry';
import type { RunContext, RunResult } from '../runs/claimed-run.ts';
import type { Answers, createAnswerSteps } from './answer-steps.ts';
import { applyDecisions, type ApplyDeps } from './apply-decisions.ts';
import type { createMakePlan } from './make-plan.ts';

export type CompressDeps = ApplyDeps &
  Readonly<{
    database: DatabasePool;
    makePlan: ReturnType<typeof createMakePlan>;
    answerSteps: ReturnType<typeof createAnswerSteps>;
    /** Requests vectors for memories that lack them. */
    embedLater: (tenantId: string, memoryIds: readonly string[]) => Promise<void>;
  }>;

type Changed = Awaited<ReturnType<typeof applyDecisions>>;

type Decided = Readonly<{
  decisions: readonly CompressionDecision[];
  current: ReadonlyMap<string, CompressibleMemory>;
  counts: Record<string, number>;
}>;

/**
 * The steps of a claimed run: fixed plan → model, each answer pinned → decisions → memories. Every step can be
 * repeated: a run that died continues where it was, and it ends in one transaction. A dry run rolls its changes back
 * and keeps the decisions as a proposal.
 *
 * @throws AppError of the model (`model_…`), `fenced`, `database_unavailable`, or the reason of the signal
 */
export function createCompressMemories(deps: CompressDeps) {
  const { database } = deps;

  return async function compressMemories(claim: RunClaim, context: RunContext): Promise<RunResult> {
    const plan = (claim.plan as CompressionPlan | null) ?? (await makePlan(claim));
    const answers = await deps.answerSteps(claim, plan, context);
    context.signal.throwIfAborted();
    if (answers.deniedMs !== null) return { kind: 'breaker_open', waitMs: answers.deniedMs };
    const counts = await withSpan('apply', {}, () =>
      claim.dryRun ? propose(claim, plan, answers) : apply(claim, plan, answers),
    );
    return { kind: 'done', counts, next: null };
  };

  async function makePlan(claim: RunClaim): Promise<CompressionPlan> {
    const plan = await deps.makePlan(claim);
    await saveCompressionPlan(database, claim, plan);
    return plan;
  }

  /** Finds the exact effect of applying: applies the decisions and rolls back. */
  async function propose(
    claim: RunClaim,
    plan: CompressionPlan,
    answers: Answers,
  ): Promise<Record<string, number>> {
    let expected: Changed | undefined;
    await database
      .transaction(
        async (tx) => {
          expected = await change(tx, claim, plan, answers);
          throw new TakenBack();
        },
        { maxAttempts: 3 },
      )
      .catch((error: unknown) => {
        if (!(error instanceof TakenBack)) throw error;
      });
    if (expected === undefined) throw new Error('a proposal ends with what it would change');
    const { decisions, counts } = expected;
    await finishCompressionRun(database, claim, { state: 'proposed', decisions, counts });
    return counts;
  }

  async function apply(
    claim: RunClaim,
    plan: CompressionPlan,
    answers: Answers,
  ): Promise<Record<string, number>> {
    const { counts, withoutVector } = await database.transaction(
      async (tx) => {
        const changed = await change(tx, claim, plan, answers);
        const { decisions, counts } = changed;
        await finishCompressionRun(tx, claim, { state: 'done', decisions, counts });
        return changed;
      },
      { maxAttempts: 3 },
    );
    if (withoutVector.length > 0) await deps.embedLater(claim.tenantId, withoutVector);
    return counts;
  }

  async function change(tx: Sql, claim: RunClaim, plan: CompressionPlan, answers: Answers): Promise<Changed> {
    await compressionClaims.assertFence(tx, claim);
    await lockUserMemories(tx, claim.tenantId, claim.userId);
    const { decisions, current, counts } = await decide(tx, claim, plan, answers);
    const applied = await applyDecisions(tx, deps, claim, decisions, current);
    return { ...applied, counts: { ...applied.counts, ...counts } };
  }

  async function decide(
    sql: Sql,
    claim: RunClaim,
    plan: CompressionPlan,
    answers: Answers,
  ): Promise<Decided> {
    const weekly = claim.kind === 'weekly';
    const memories = await readCompressible(sql, {
      ...claim,
      ids: idsOf(plan),
      categories: weekly ? FADING_CATEGORIES : [],
    });
    const current = new Map(memories.map((memory) => [memory.id, memory]));
    const at = deps.now().getTime();
    const { decisions, refused } = decideCompression({
      plan,
      answers: answers.byStep,
      current,
      faded: weekly ? memories.filter((memory) => hasFaded(memory, at)).map(({ id }) => id) : [],
    });
    return {
      decisions,
      current,
      counts: {
        refused: Object.values(refused).reduce((sum, count) => sum + count, 0),
        unanswered: answers.unanswered,
      },
    };
  }
}

function idsOf(plan: CompressionPlan): string[] {
  return [
    ...new Set([
      ...plan.repetitions.flatMap(({ into, from }) => [into, ...from]),
      ...plan.steps.flatMap(({ sources }) => sources.map(({ id }) => id)),
      ...plan.byRule.map(({ id }) => id),
    ]),
  ];
}

const FADING: ReadonlySet<string> = new Set(FADING_CATEGORIES);

/**
 * Whether a memory has decayed. Its age counts from when it was last stated or returned, so memories in use do not
 * fade.
 */
function hasFaded(
  { category, importance, statedAt, lastAccessedAt, tier }: CompressibleMemory,
  at: number,
): boolean {
  if (!FADING.has(category) || tier === 3) return false;
  const lastUse = Math.max(statedAt.getTime(), lastAccessedAt?.getTime() ?? 0);
  return decayedScore({ category, importance, ageMs: at - lastUse }) <= ARCHIVE_SCORE;
}

/** Rolls the transaction of a proposal back. */
class TakenBack extends Error {}
