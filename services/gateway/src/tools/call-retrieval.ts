import { AppError } from '@factmill/errors';
import { traceHeaders } from '@factmill/telemetry';
import type { RetrievalCall, RetrievalClient } from '../retrieval/retrieval-client.ts';

const TIMEOUT_MS = 15_000;

/**
 * Asks the retrieval service with the caller's own credentials (`headers`).
 *
 * @throws AppError `retrieval_unavailable` when it does not answer, or not with success
 */
export async function callRetrieval(
  retrieval: RetrievalClient,
  call: Omit<RetrievalCall, 'signal'>,
): Promise<unknown> {
  try {
    const answer = await retrieval.post({
      ...call,
      headers: { ...call.headers, ...traceHeaders() },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!answer.ok) throw new Error(`retrieval answered ${answer.status}`);
    return JSON.parse(answer.body.toString('utf8'));
  } catch (error) {
    throw new AppError('retrieval_unavailable', 'The retrieval service does not answer; try again.', {
      cause: error,
    });
  }
}
