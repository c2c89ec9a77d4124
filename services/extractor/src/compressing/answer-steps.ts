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
import { decidesForGood } from '../extracting/decide-retry.ts';
import type { Caller, ProviderWatch } from '../extracting/provider-watch.ts';

export type AnswerStepsDeps = Readonly<{
  database: Sql;
  /** Null when no model is configured. */
  model: ChatModel | null;
  prompts: Prompts;
  watch: ProviderWatch;
  /** Monotonic milliseconds. */
  now: () => number;
  /** Resolves after `ms`, or rejects when the signal fires. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
}>;

export type Answers = Readonly<{
  byStep: ReadonlyMap<string, string>;
  /** Steps that the model could not answer; their memories stay as they are. */
  unanswered: number;
  /** The provider is down, and somebody else makes the next try: nothing can be asked for so long. Else null. */
  restsMs: number | null;
}>;

/** A run as its calls are told of: whether the present one is the one try of a provider that is down. */
export type RunCaller = { -readonly [K in keyof Caller]: Caller[K] } & Readonly<{
  /** Ends such a try when the process stops: it may well hang. */
  stopProbe: AbortSignal;
}>;

/** How long an answer that has been paid for waits for a database that is away, before it is given up. */
const PIN_PATIENCE_MS = 30_000;
const PIN_RETRY_MS = 500;

const REPAIR =
  'That reply could not be read. Answer again with nothing but the JSON object in the required format.';

/**
 * The answers to a plan's questions: those that an earlier run of it has paid for, and the others asked for one by
 * one, each pinned before the next. A question that this model will not answer (it refuses, or writes nothing that can
 * be read, twice) is passed over, unless none is answered: then the run fails with the last error.
 *
 * @throws AppError of the model (`model_…`), `fenced`, `database_unavailable`, or the reason of `signal`
 */
export function createAnswerSteps(deps: AnswerStepsDeps) {
  return async function answerSteps(
    claim: RunClaim,
    plan: CompressionPlan,
    caller: RunCaller,
    signal: AbortSignal,
  ): Promise<Answers> {
    const kept = await readCompressionAnswers(deps.database, claim.id);
    const byStep = new Map(
      kept.filter(({ status }) => status === 'pinned').map(({ step, raw }) => [step, raw]),
    );
    const { model } = deps;
    let failure: AppError | undefined;
    let unanswered = 0;
    for (const step of plan.steps) {
      if (byStep.has(step.name) || model === null) continue;
      signal.throwIfAborted();
      const entry = (await deps.watch.breaker?.enter()) ?? { kind: 'works' };
      if (entry.kind === 'rests') {
        deps.watch.refused();
        return { byStep, unanswered, restsMs: entry.waitMs };
      }
      caller.isProbe = entry.kind === 'probe';
      try {
        const raw = await answer(model, claim, step, caller, signal);
        if (raw !== null) byStep.set(step.name, raw);
      } catch (error) {
        if (signal.aborted || !isAppError(error) || !decidesForGood(error.code)) throw error;
        await answered(caller);
        failure = error;
        unanswered += 1;
      }
    }
    if (failure !== undefined && byStep.size === 0) throw failure;
    return { byStep, unanswered, restsMs: null };
  };

  async function keep(claim: RunClaim, answer: CompressionAnswer, signal: AbortSignal): Promise<void> {
    const giveUpAt = deps.now() + PIN_PATIENCE_MS;
    for (;;) {
      try {
        await saveCompressionAnswer(deps.database, claim, answer);
        return;
      } catch (error) {
        if (!isAppError(error) || error.code !== 'database_unavailable' || deps.now() >= giveUpAt)
          throw error;
        await deps.wait(PIN_RETRY_MS, signal);
      }
    }
  }

  async function answered(caller: RunCaller): Promise<void> {
    await deps.watch.answered(caller);
    caller.isProbe = false;
  }

  /** Null when all that the question was about is gone. */
  async function answer(
    model: ChatModel,
    claim: RunClaim,
    step: PlanStep,
    caller: RunCaller,
    signal: AbortSignal,
  ): Promise<string | null> {
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
          signal: caller.isProbe ? AbortSignal.any([signal, caller.stopProbe]) : signal,
        }),
      );
      await answered(caller);
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
      await keep(claim, kept, signal);
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
