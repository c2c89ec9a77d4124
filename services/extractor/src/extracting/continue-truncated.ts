import type { Claim, ModelOutput, PinnedOutput } from '@factmill/database';
import { isAppError } from '@factmill/errors';
import { parseReply } from '@factmill/extraction';
import { blamesProvider } from '../providers/error-treatments.ts';
import type { Provider, Question } from './answer-providers.ts';
import type { PinnedCalls } from './pinned-calls.ts';

/** Whether a reply was cut at its limit. */
export function isTruncated(output: Pick<ModelOutput, 'raw' | 'finishReason'>): boolean {
  return output.finishReason === 'length' || parseReply(output.raw).status === 'truncated';
}

/**
 * The continuation of a truncated answer: asked for once and pinned in any case; its complete items count. Null when
 * nothing is missing or the model declines.
 *
 * @throws AppError `fenced`, `database_unavailable`, or of the model when the provider is at fault: then the
 *   extraction waits, with the first part pinned
 */
export function createContinueTruncated({ provider, calls }: { provider: Provider; calls: PinnedCalls }) {
  return async function continueTruncated(
    claim: Claim,
    answer: ModelOutput,
    pinned: PinnedOutput | undefined,
    toQuestion: () => Promise<Question | null>,
    signal: AbortSignal,
  ): Promise<ModelOutput | null> {
    if (provider.continueTruncated === null || !isTruncated(answer)) return null;
    if (pinned !== undefined) return pinned.output;
    const question = await toQuestion();
    if (question === null) return null;
    try {
      const context = { claim, purpose: 'continue', signal } as const;
      const { continueTruncated: ask } = provider;
      const call = await calls.call(context, () => ask(question, answer));
      await calls.keep(context, call, { status: 'pinned' });
      return call.output;
    } catch (error) {
      if (isRefusal(error)) return null;
      throw error;
    }
  };
}

/** A model error that every further attempt would repeat. */
export function isRefusal(error: unknown): boolean {
  return isAppError(error) && error.code.startsWith('model_') && !blamesProvider(error.code);
}
