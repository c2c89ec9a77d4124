import type { ErrorCode } from '@factmill/errors';

/** How an error of a run is treated; see decideRetry. */
export type Treatment = 'fail' | 'attempt' | 'outage' | 'transient';

/** The one table of the error classes (architecture.md). Any other error is a bug of ours: retried, then failed. */
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

/** Whether the provider cannot be reached, as opposed to a bad request or a bad answer. */
export function blamesProvider(code: ErrorCode): boolean {
  const treatment = treatmentOf(code);
  return treatment === 'outage' || treatment === 'transient';
}

/** Whether this request will never work with this model. Only a provider that answers can cause such an error. */
export function decidesForGood(code: ErrorCode): boolean {
  return treatmentOf(code) === 'fail';
}
