import type { ErrorCode } from '@factmill/errors';

/** How an error of a run is treated; see decideRetry. */
export type Treatment = 'fail' | 'attempt' | 'outage' | 'transient';

/** The one table of the error classes (architecture.md). What is not listed is our own bug: retried, then failed. */
const TREATMENTS: Readonly<Partial<Record<ErrorCode, Treatment>>> = {
  model_throttled: 'outage',
  model_unavailable: 'outage',
  model_quota: 'outage',
  model_config: 'outage',
  model_transient: 'transient',
  model_input: 'fail',
  model_refusal: 'fail',
  model_truncated: 'fail',
  model_bad_reply: 'fail',
};

export function treatmentOf(code: ErrorCode): Treatment {
  return TREATMENTS[code] ?? 'attempt';
}

/** Whether an error says that the provider cannot be reached, as against what it was asked or what it answered. */
export function blamesProvider(code: ErrorCode): boolean {
  const treatment = treatmentOf(code);
  return treatment === 'outage' || treatment === 'transient';
}

/**
 * Whether an error says that this request will not work with this model, however often it is made. Only a provider that
 * answers can cause one.
 */
export function decidesForGood(code: ErrorCode): boolean {
  return treatmentOf(code) === 'fail';
}
