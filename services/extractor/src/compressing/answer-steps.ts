import {
  type CompressionAnswer,
  readCompressible,
  readCompressionAnswers,
  type RunClaim,
  saveCompressionAnswer,
  type Sql,
} from '@factmill/database';
import {
  buildCompressionPrompt,
  COMPRESSION_REPLY_TOKENS,
  compressionReplySchema,
  type CompressionPlan,
  type PlanStep,
  type Prompts,
  readGroups,
} from '@factmill/extraction';
import { AppError, isAppError } from '@factmill/errors';
import type { ChatMessage, ChatModel } from '@factmill/models';
import { withSpan } from '@factmill/telemetry';
import type { BillChatModel } from '../providers/billed-chat-model.ts';
import { decidesForGood } from '../providers/error-treatments.ts';
import type { RunBreaker } from '../providers/run-breaker.ts';
import type { RunContext } from '../runs/claimed-run.ts';
import { keepAnswer, type KeepAnswerDeps } from '../runs/keep-answer.ts';

export type AnswerStepsDeps = KeepAnswerDeps &
  Readonly<{
    database: Sql;
    /** Null when no model is configured. */
    model: ChatModel | null;
    bill: BillChatModel;
    prompts: Prompts;
    breaker: RunBreaker;
  }>;

export type Answers = Readonly<{
  byStep: ReadonlyMap<string, string>;
  /** Steps that the model could not answer; their memories stay unchanged. */
  unanswered: number;
  /** Set when a call was denied because the provider is down: no call is possible for this long. Else null. */
  deniedMs: number | null;
}>;

const REPAIR =
  'That reply could not be read. Answer again with nothing but the JSON object in the required format.';

/**
 * The answers to a plan's questions: those that an earlier run of it has paid for; the others are asked one by one,
 * each pinned before the next. A question that the model never answers (it refuses, or writes an unreadable reply
 * twice) is skipped, unless none is answered: then the run fails with the last error.
 *
 * @throws AppError of the model (`model_…`), `fenced`, `database_unavailable`, or the reason of the signal
 */
export function createAnswerSteps(deps: AnswerStepsDeps) {
  return async function answerSteps(
    claim: RunClaim,
    plan: CompressionPlan,
    context: RunContext,
  ): Promise<Answers> {
    const kept = await readCompressionAnswers(deps.database, claim.id);
    const byStep = new Map(
      kept.filter(({ status }) => status === 'pinned').map(({ step, raw }) => [step, raw]),
    );
    const { breaker, model } = deps;
    const { signal } = context;
    let failure: AppError | undefined;
    let unanswered = 0;
    for (const step of plan.steps) {
      if (byStep.has(step.name) || model === null) continue;
      signal.throwIfAborted();
      const permit = await breaker.acquire(claim.id);
      if (permit.kind === 'denied') return { byStep, unanswered, deniedMs: permit.waitMs };
      try {
        const raw = await answer(deps.bill(model, claim, 'compression'), claim, step, context);
        if (raw !== null) byStep.set(step.name, raw);
      } catch (error) {
        if (signal.aborted || !isAppError(error) || !decidesForGood(error.code)) throw error;
        await breaker.answered(claim.id);
        failure = error;
        unanswered += 1;
      }
    }
    if (failure !== undefined && byStep.size === 0) throw failure;
    return { byStep, unanswered, deniedMs: null };
  };

  /** Null when all memories of the question are gone. */
  async function answer(
    model: ChatModel,
    claim: RunClaim,
    step: PlanStep,
    { signal, drainSignal }: RunContext,
  ): Promise<string | null> {
    const { breaker } = deps;
    const memories = await readCompressible(deps.database, {
      ...claim,
      ids: step.sources.map(({ id }) => id),
      categories: [],
    });
    const prompt = buildCompressionPrompt(
      deps.prompts,
      step,
      new Map(memories.map((memory) => [memory.id, memory])),
    );
    if (prompt === null) return null;

    const ask = async (follow: readonly ChatMessage[]): Promise<CompressionAnswer> => {
      const startedAt = deps.now();
      const reply = await withSpan('compression call', { kind: 'client' }, () =>
        model.complete({
          messages: [...prompt.messages, ...follow],
          maxTokens: COMPRESSION_REPLY_TOKENS,
          schema: compressionReplySchema(step.template),
          signal: breaker.isProbe(claim.id) ? AbortSignal.any([signal, drainSignal]) : signal,
        }),
      );
      await breaker.answered(claim.id);
      const given = {
        step: step.name,
        model: reply.model,
        promptVersion: prompt.promptVersion,
        raw: reply.text,
        finishReason: reply.finishReason,
        promptTokens: reply.usage.promptTokens,
        completionTokens: reply.usage.completionTokens,
        modelMs: deps.now() - startedAt,
      };
      const kept: CompressionAnswer = { ...given, status: isUsable(reply.text) ? 'pinned' : 'rejected' };
      await keepAnswer(() => saveCompressionAnswer(deps.database, claim, kept), deps, signal);
      return kept;
    };

    const first = await ask([]);
    if (first.status === 'pinned') return first.raw;
    if (first.finishReason === 'length') {
      throw new AppError(
        'model_truncated',
        'The answer ended before one statement was complete; it is kept.',
      );
    }
    const second = await ask([
      { role: 'assistant', content: first.raw.slice(0, 4_000) },
      { role: 'user', content: REPAIR },
    ]);
    if (second.status === 'pinned') return second.raw;
    throw new AppError('model_bad_reply', 'The answer could not be read, nor the second one; both are kept.');
  }
}

function isUsable(raw: string): boolean {
  const { status, groups } = readGroups(raw);
  return status === 'ok' || (status === 'truncated' && groups.length > 0);
}
