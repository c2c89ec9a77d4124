import { type Claim, type ModelCall, type ModelOutput, saveOutput, type Sql } from '@factmill/database';
import { AppError, isAppError } from '@factmill/errors';
import { createDuration, withSpan } from '@factmill/telemetry';
import { judgeReply } from './judge-reply.ts';
import type { Provider, Question } from './providers.ts';

/** `isNew`: the model has just given it, as against in an earlier run. */
export type Answer = Readonly<{ output: ModelOutput; isNew: boolean }>;

export type ObtainDeps = Readonly<{
  database: Sql;
  provider: Provider;
  now: () => number;
  /** Resolves after `ms`, or rejects when the signal fires. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
}>;

/** How long an answer that has been paid for waits for a database that is away, before it is given up. */
const PIN_PATIENCE_MS = 30_000;
const PIN_RETRY_MS = 500;

/**
 * The model's answer to an extraction: the pinned one if there is one, else asked for and pinned before anything
 * is done with it, so that no retry pays twice (G2). An unreadable reply is kept as rejected and gets one repair
 * attempt.
 *
 * @param signal ends waiting; aborted when the run is over for other reasons
 * @throws AppError of the model (`model_…`), `fenced`, `database_unavailable`
 */
export function createObtainAnswer(deps: ObtainDeps) {
  const recordCall = createDuration(
    'factmill_model_call_duration_seconds',
    'Time of one extraction model call',
  );

  async function call(ask: () => Promise<ModelOutput>): Promise<ModelCall> {
    const startedAt = deps.now();
    let result = 'ok';
    try {
      const output = await withSpan(
        'model call',
        { kind: 'client', attributes: { provider: deps.provider.name } },
        ask,
      );
      return { output, modelMs: deps.now() - startedAt };
    } catch (error) {
      result = isAppError(error) ? error.code : 'internal';
      throw error;
    } finally {
      recordCall(deps.now() - startedAt, { provider: deps.provider.name, result });
    }
  }

  async function keep(claim: Claim, call: ModelCall, status: 'pinned' | 'rejected', signal: AbortSignal) {
    const giveUpAt = deps.now() + PIN_PATIENCE_MS;
    for (;;) {
      try {
        await saveOutput(deps.database, claim, call, status);
        return;
      } catch (error) {
        if (!isAppError(error) || error.code !== 'database_unavailable' || deps.now() >= giveUpAt)
          throw error;
        await deps.wait(PIN_RETRY_MS, signal);
      }
    }
  }

  return async function obtainAnswer(
    claim: Claim,
    pinned: ModelOutput | null,
    toQuestion: () => Question | null,
    signal: AbortSignal,
  ): Promise<Answer | null> {
    if (pinned !== null) return { output: pinned, isNew: false };
    const question = toQuestion();
    if (question === null) return null;
    const { preset } = question;

    const first = await call(() => deps.provider.ask(question));
    if (await accept(first)) return { output: first.output, isNew: true };
    const { askAgain } = deps.provider;
    if (askAgain === null) throw badReply();
    const second = await call(() => askAgain(question, first.output));
    if (await accept(second)) return { output: second.output, isNew: true };
    throw badReply();

    async function accept(answer: ModelCall): Promise<boolean> {
      const verdict = judgeReply(answer.output, preset);
      await keep(claim, answer, verdict === 'usable' ? 'pinned' : 'rejected', signal);
      if (verdict === 'cut_off') throw cutOff();
      return verdict === 'usable';
    }
  };
}

function cutOff(): AppError {
  return new AppError(
    'model_truncated',
    'The model used up its output limit before one memory was complete; the reply is kept. Raise LLM_MAX_TOKENS.',
  );
}

function badReply(): AppError {
  return new AppError(
    'model_bad_reply',
    'The model’s reply could not be read, nor could its second attempt; both are kept with the extraction.',
  );
}
