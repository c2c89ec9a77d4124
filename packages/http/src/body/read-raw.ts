import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import type { JsonBodyOptions } from './read-json.ts';
import { readBody } from './read-body.ts';

/** Memory that a byte of the body stands for: itself and its text. */
const WEIGHT = 3;
const noScan = { push: () => undefined, end: () => ({}) as never, values: () => 0 };

/**
 * Reads a body that is not one JSON value, within its limits. It counts against the budget until the answer is out.
 *
 * @throws AppError `payload_too_large`, `request_timeout`, `overloaded`, `invalid_request` for an unknown encoding
 */
export async function readRaw(
  request: IncomingMessage,
  response: Response,
  { budget, maxBytes, timeoutMs }: JsonBodyOptions,
): Promise<Buffer> {
  const lease = budget.lease();
  response.once('close', lease.release);
  return readBody(request, { maxBytes, timeoutMs, weight: WEIGHT, lease, scan: noScan });
}
