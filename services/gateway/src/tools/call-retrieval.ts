import { AppError } from '@factmill/errors';
import { traceHeaders } from '@factmill/telemetry';

const TIMEOUT_MS = 15_000;

/**
 * Posts to the retrieval service with the caller's own credentials.
 *
 * @throws AppError `retrieval_unavailable` when it does not answer, or not with success
 */
export async function callRetrieval(
  url: string,
  credentials: Readonly<Record<string, string>>,
  body: object,
): Promise<unknown> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...credentials, ...traceHeaders() },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) throw new Error(`retrieval answered ${response.status}`);
    return await response.json();
  } catch (error) {
    throw new AppError('retrieval_unavailable', 'The retrieval service does not answer; try again.', {
      cause: error,
    });
  }
}
