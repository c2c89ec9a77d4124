import { MAX_JSON_VALUES } from '@factmill/contracts';
import { AppError } from '@factmill/errors';
import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RequestHandler, Response } from 'express';
import type { ByteBudget } from './byte-budget.ts';
import { createJsonScan, type JsonNode, type JsonScanOptions } from './json-scan.ts';
import { assertPlainJson } from './plain-json.ts';
import { readBody } from './read-body.ts';

/** Deeper bodies are refused before they are parsed; `assertPlainJson` names the place in shallower ones. */
const MAX_PARSED_DEPTH = 100;
/** Memory that a JSON body needs per byte at most: the bytes, their text, the values, the answer. */
const PARSED_WEIGHT = 4;
/** A larger body yields the event loop between its steps, each of which can take tens of milliseconds. */
const LARGE_BYTES = 128 * 1024;

export type JsonBodyOptions = Readonly<{
  maxBytes: number;
  /** How long the body may take to arrive. */
  timeoutMs: number;
  budget: ByteBudget;
}>;

/**
 * Reads a JSON body within its limits: bytes (as sent and unpacked), unpacking ratio, nesting and number of values
 * (both before it is parsed), time to arrive, and the memory of all large bodies together. Invalid JSON is refused.
 *
 * @throws AppError `payload_too_large`, `invalid_json`, `invalid_request`, `forbidden_key`, `request_timeout`,
 *   `overloaded`
 */
export function jsonBody({ maxBytes, timeoutMs, budget }: JsonBodyOptions): RequestHandler {
  return async (request, response, next) => {
    if (request.body !== undefined || !hasBody(request)) {
      next();
      return;
    }
    assertUtf8(request);
    const { bytes } = await readJson(request, response, {
      maxBytes,
      budget,
      weight: PARSED_WEIGHT,
      timeoutMs,
      maxDepth: MAX_PARSED_DEPTH,
    });
    if (bytes.length === 0) {
      next();
      return;
    }
    const body = parse(bytes);
    const isLarge = bytes.length > LARGE_BYTES;
    if (isLarge) await nextTurn();
    assertPlainJson(body);
    if (isLarge) await nextTurn();
    request.body = body;
    next();
  };
}

export type ReadJsonOptions = JsonBodyOptions &
  Partial<JsonScanOptions> &
  Readonly<{
    /** Bytes of memory that one byte of the body stands for. */
    weight: number;
  }>;

/** The bytes of a JSON body and where its outer values stand in them; `root` is null when there are none. */
export type HeldBody = {
  bytes: Buffer;
  root: JsonNode | null;
  /** Drops both and returns their room to the budget. Idempotent. */
  readonly release: () => void;
};

/** Reads a JSON body within its limits. It counts against the budget until it is released or the answer is out. */
export async function readJson(
  request: IncomingMessage,
  response: Response,
  { budget, weight, timeoutMs, maxBytes, ...limits }: ReadJsonOptions,
): Promise<HeldBody> {
  const lease = budget.lease();
  response.once('close', lease.release);
  const scan = createJsonScan({ maxValues: MAX_JSON_VALUES, ...limits });
  const bytes = await readBody(request, { maxBytes, timeoutMs, weight, lease, scan });
  const held: HeldBody = {
    bytes,
    root: bytes.length === 0 ? null : scan.end(),
    release() {
      held.bytes = Buffer.alloc(0);
      held.root = null;
      lease.release();
    },
  };
  return held;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function assertUtf8(request: IncomingMessage): void {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  if (charset === undefined || /^utf-?8$/i.test(charset)) return;
  throw new AppError('invalid_request', 'The body’s encoding is not supported; send UTF-8 JSON.');
}

/** Bytes that are not UTF-8 are refused: repaired, they would come back as something else than was sent. */
function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new AppError('invalid_json', 'The body is not valid JSON in UTF-8.');
  }
}
