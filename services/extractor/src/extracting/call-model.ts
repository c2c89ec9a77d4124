import type { Claim, ModelCall, ModelOutput } from '@factmill/database';
import { AppError, isAppError } from '@factmill/errors';
import { emptyAnswerError } from '@factmill/models';
import { judgeReply } from './judge-reply.ts';
import type { CallContext, PinnedCalls } from './pinned-calls.ts';
import type { Provider, Question } from './answer-providers.ts';

type Verdict = ReturnType<typeof judgeReply>;

/** An answer, and the call that made it if it is not pinned yet: it is stored with the memories then. */
export type Answer = Readonly<{ output: ModelOutput; unpinned: ModelCall | null }>;

export type CallModelDeps = Readonly<{ provider: Provider; calls: PinnedCalls }>;

export type Questions = Readonly<{
  /** Null when there is nothing to ask. */
  toQuestion: () => Promise<Question | null>;
  /** A shorter question for a model that refused the input; null when it cannot be shorter. */
  shorten: () => Promise<Question | null>;
}>;

/**
 * The model's answer to an extraction: the pinned one if there is one, else a new one, pinned before it is used, so
 * that no retry pays twice (G2). An answer that costs nothing is not pinned. An unusable reply is kept as rejected and
 * asked for once more: with the fault named when it was unreadable, with twice the output limit when it was truncated
 * too early. A refused input is shortened once. Two empty texts blame the provider (`model_transient`).
 *
 * @param signal ends waiting; aborted when the run ends for other reasons
 * @throws AppError of the model (`model_…`), `fenced`, `database_unavailable`
 */
export function createCallModel({ provider, calls }: CallModelDeps) {
  /** The call is null when the model used up its limit before any text, and may get a higher one. */
  async function askFirst(
    context: CallContext,
    question: Question,
    shorten: Questions['shorten'],
  ): Promise<Readonly<{ question: Question; call: ModelCall | null }>> {
    try {
      return { question, call: await calls.call(context, () => provider.ask(question)) };
    } catch (error) {
      if (!isAppError(error)) throw error;
      if (error.code === 'model_truncated' && provider.retryWithMoreTokens !== null)
        return { question, call: null };
      const shorter = error.code === 'model_input' ? await shorten() : null;
      if (shorter === null) throw error;
      return askFirst(context, shorter, shorten);
    }
  }

  function secondAttempt(question: Question, verdict: Verdict, first: ModelOutput | undefined) {
    const { repair, retryWithMoreTokens } = provider;
    if (verdict === 'refused') return null;
    if (verdict === 'truncated') return retryWithMoreTokens && (() => retryWithMoreTokens(question));
    return repair && first && (() => repair(question, first));
  }

  function toAnswer(call: ModelCall): Answer {
    return { output: call.output, unpinned: provider.isFree ? call : null };
  }

  return async function callModel(
    claim: Claim,
    pinned: ModelOutput | null,
    { toQuestion, shorten }: Questions,
    signal: AbortSignal,
  ): Promise<Answer | null> {
    if (pinned !== null) return { output: pinned, unpinned: null };
    const whole = await toQuestion();
    if (whole === null) return null;
    const { preset } = whole;
    const context = { claim, purpose: 'extract', signal } as const;

    const { question, call: first } = await askFirst(context, whole, shorten);
    const verdict = first === null ? 'truncated' : await keepJudged(first);
    if (first !== null && verdict === 'usable') return toAnswer(first);
    const ask = secondAttempt(question, verdict, first?.output);
    if (ask == null) throw failureOf(verdict);
    const second = await calls.call(context, ask);
    const last = await keepJudged(second);
    if (last === 'usable') return toAnswer(second);
    throw isBlank(first) && isBlank(second) ? emptyAnswerError() : failureOf(last);

    async function keepJudged(call: ModelCall) {
      const judged = judgeReply(call.output, preset);
      const status = judged === 'usable' ? 'pinned' : 'rejected';
      if (status === 'rejected' || !provider.isFree) await calls.keep(context, call, { status });
      return judged;
    }
  };
}

/** Whether a reply has no text and nothing in its place. */
function isBlank(call: ModelCall | null): boolean {
  return call !== null && call.output.raw.trim() === '' && !INSTEAD.has(call.output.finishReason ?? '');
}

/** Finish reasons of models that do something other than answer (`ChatReply`). */
const INSTEAD: ReadonlySet<string> = new Set(['tool_calls', 'reasoning_only']);

function failureOf(verdict: Verdict): AppError {
  if (verdict === 'refused') {
    return new AppError('model_refusal', 'The model declined to answer; its reply is kept.');
  }
  return verdict === 'truncated'
    ? new AppError(
        'model_truncated',
        'The model used up its output limit twice, the second time twice as much, before one memory was complete; what it wrote is kept. Raise LLM_MAX_TOKENS.',
      )
    : new AppError(
        'model_bad_reply',
        'The model’s reply could not be read, nor could its second attempt; both are kept with the extraction.',
      );
}
