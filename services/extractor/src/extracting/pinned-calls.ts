import type { UsagePurpose } from '@factmill/contracts';
import {
  type Claim,
  type ModelCall,
  type ModelOutput,
  type OutputPurpose,
  type saveOutput,
  type Sql,
} from '@factmill/database';
import { isAppError } from '@factmill/errors';
import type { MeteredCall, UsageMeter } from '@factmill/runtime';
import { createDuration, withSpan } from '@factmill/telemetry';
import { keepAnswer, type KeepAnswerDeps } from '../runs/keep-answer.ts';
import { failedOutputOf } from './failed-output.ts';

export type CallDeps = KeepAnswerDeps &
  Readonly<{
    database: Sql;
    /** Stores an answer with the run that it is for. */
    saveOutput: typeof saveOutput;
    /** What usage counts the calls as. */
    usagePurpose: (purpose: OutputPurpose) => UsagePurpose;
    /** Name of the provider, for spans and metrics. */
    provider: string;
    /** What calls cost; null for rules, which cost nothing. */
    usage: UsageMeter | null;
    /** Called when the provider has answered an extraction's run. */
    answered: (extractionId: string) => Promise<void>;
  }>;

/** The purpose of a call. */
export type CallContext = Readonly<{ claim: Claim; purpose: OutputPurpose; signal: AbortSignal }>;

export type PinnedCalls = Readonly<{
  /**
   * Makes one call and measures it. A reply inside an error is kept as rejected and counted, because it is paid for.
   */
  call: (context: CallContext, ask: () => Promise<ModelOutput>) => Promise<ModelCall>;
  /** Stores the output of a call with the extraction, before it is used. */
  keep: (
    context: CallContext,
    call: ModelCall,
    as: Readonly<{ status: 'pinned' | 'rejected'; shown?: unknown }>,
  ) => Promise<void>;
}>;

/** Calls of a model with their answers pinned. */
export function createPinnedCalls(deps: CallDeps): PinnedCalls {
  const recordCall = createDuration(
    'factmill_model_call_duration_seconds',
    'Time of one extraction model call',
  );
  return {
    async call(context, ask) {
      const startedAt = deps.now();
      let result = 'ok';
      try {
        const output = await withSpan(
          'model call',
          { kind: 'client', attributes: { provider: deps.provider } },
          ask,
        );
        return { output, modelMs: deps.now() - startedAt };
      } catch (error) {
        result = isAppError(error) ? error.code : 'internal';
        const output = failedOutputOf(error);
        const call = output && { output, modelMs: deps.now() - startedAt };
        if (call) await save(context, call, { status: 'rejected' });
        throw error;
      } finally {
        recordCall(deps.now() - startedAt, { provider: deps.provider, result });
      }
    },
    async keep(context, call, as) {
      // An empty reply does not show that the provider works.
      if (call.output.raw.trim() !== '') await deps.answered(context.claim.id);
      await save(context, call, as);
    },
  };

  async function save(
    { claim, purpose, signal }: CallContext,
    call: ModelCall,
    { status, shown = null }: Parameters<PinnedCalls['keep']>[2],
  ): Promise<void> {
    const metered: MeteredCall = {
      userId: claim.userId,
      model: call.output.model,
      purpose: deps.usagePurpose(purpose),
      inputTokens: call.output.promptTokens ?? 0,
      outputTokens: call.output.completionTokens ?? 0,
    };
    const usage = deps.usage?.entryOf(metered);
    try {
      const warnings = await keepAnswer(
        () => deps.saveOutput(deps.database, claim, call, status, { purpose, shown, usage }),
        deps,
        signal,
      );
      deps.usage?.warn(claim.tenantId, warnings);
    } catch (error) {
      // Another worker has the extraction; the call is paid for all the same.
      if (isAppError(error) && error.code === 'fenced') await deps.usage?.record(claim.tenantId, metered);
      throw error;
    }
  }
}
