import type { Claim, ModelCall, ModelOutput } from '@factmill/database';
import { AppError, isAppError } from '@factmill/errors';
import { judgeReply } from './judge-reply.ts';
import type { PinnedCalls } from './pinned-calls.ts';
import type { Provider, Question } from './providers.ts';

type Verdict = ReturnType<typeof judgeReply>;

export type ObtainDeps = Readonly<{ provider: Provider; calls: PinnedCalls }>;

/**
 * The model's answer to an extraction: the pinned one if there is one, else asked for and pinned before anything
 * is done with it, so that no retry pays twice (G2). A reply that is of no use is kept as rejected and asked for once
 * more: with what was wrong when it could not be read, with twice the room when it broke off before anything was whole.
 *
 * @param signal ends waiting; aborted when the run is over for other reasons
 * @throws AppError of the model (`model_…`), `fenced`, `database_unavailable`
 */
export function createObtainAnswer({ provider, calls }: ObtainDeps) {
  /** Null when the model used up its limit before any text, and may be given more. */
  async function askFirst(question: Question): Promise<ModelCall | null> {
    try {
      return await calls.call(() => provider.ask(question));
    } catch (error) {
      if (isAppError(error) && error.code === 'model_truncated' && provider.askLonger !== null) return null;
      throw error;
    }
  }

  function secondAttempt(question: Question, verdict: Verdict, first: ModelOutput | undefined) {
    const { askAgain, askLonger } = provider;
    if (verdict === 'cut_off') return askLonger && (() => askLonger(question));
    return askAgain && first && (() => askAgain(question, first));
  }

  return async function obtainAnswer(
    claim: Claim,
    pinned: ModelOutput | null,
    toQuestion: () => Promise<Question | null>,
    signal: AbortSignal,
  ): Promise<ModelOutput | null> {
    if (pinned !== null) return pinned;
    const question = await toQuestion();
    if (question === null) return null;
    const { preset } = question;

    const first = await askFirst(question);
    const verdict = first === null ? 'cut_off' : await keepJudged(first);
    if (first !== null && verdict === 'usable') return first.output;
    const ask = secondAttempt(question, verdict, first?.output);
    if (ask == null) throw failureOf(verdict);
    const second = await calls.call(ask);
    const last = await keepJudged(second);
    if (last === 'usable') return second.output;
    throw failureOf(last);

    async function keepJudged(call: ModelCall) {
      const judged = judgeReply(call.output, preset);
      const status = judged === 'usable' ? 'pinned' : 'rejected';
      await calls.keep(claim, call, { status, purpose: 'extract' }, signal);
      return judged;
    }
  };
}

function failureOf(verdict: Verdict): AppError {
  return verdict === 'cut_off'
    ? new AppError(
        'model_truncated',
        'The model used up its output limit twice, the second time twice as much, before one memory was complete; what it wrote is kept. Raise LLM_MAX_TOKENS.',
      )
    : new AppError(
        'model_bad_reply',
        'The model’s reply could not be read, nor could its second attempt; both are kept with the extraction.',
      );
}
