import { untilAborted } from '@factmill/async';
import type { NextDelivery } from '@factmill/database';
import { parseRetryAfter } from '@factmill/models';
import type { IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { type LookUp, resolveTarget } from './resolve-target.ts';
import { signWebhook } from './sign-webhook.ts';

export type Posted = Readonly<{
  /** Of the answer; null without one. */
  status: number | null;
  /** A code, when there was no answer. */
  error: string | null;
  retryAfterSeconds: number | undefined;
}>;

export type PostOptions = Readonly<{
  privateNetworks: boolean;
  timeoutMs: number;
  userAgent: string;
  lookUp: LookUp;
  now: () => number;
  signal: AbortSignal;
}>;

/** Receivers may refuse larger ones; events are far smaller. */
const MAX_BODY_BYTES = 20 * 1024;
/** An answer is read so far, for the sake of receivers that see a cut connection as an error. */
const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * Sends one event as Standard Webhooks has it. Redirects are answers and are not followed, and what an answer
 * says besides its status does not matter. Never rejects.
 */
export async function postWebhook(delivery: NextDelivery, options: PostOptions): Promise<Posted> {
  const url = new URL(delivery.url);
  const nothing = (error: string): Posted => ({ status: null, error, retryAfterSeconds: undefined });
  const body = JSON.stringify(toPayload(delivery));
  if (Buffer.byteLength(body) > MAX_BODY_BYTES) return nothing('body_too_large');
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const signal = AbortSignal.any([timeout, options.signal]);
  try {
    const target = await untilAborted(resolveTarget(url, options.privateNetworks, options.lookUp), signal);
    if ('refused' in target) return nothing(target.refused);
    const answer = await send(url, body, {
      headers: headersOf(delivery, body, options),
      // Always this list: the name is not looked up again.
      lookup: (_name, { all }, done) => {
        if (all === true) done(null, [...target.addresses]);
        else done(null, target.addresses[0]!.address, target.addresses[0]!.family);
      },
      signal,
    });
    const retryAfter = new Headers({ 'retry-after': answer.headers['retry-after'] ?? '' });
    return {
      status: answer.statusCode ?? null,
      error: null,
      retryAfterSeconds: parseRetryAfter(retryAfter, options.now()),
    };
  } catch {
    if (options.signal.aborted) return nothing('stopped');
    return nothing(timeout.aborted ? 'timeout' : 'no_answer');
  }
}

function toPayload({ event }: NextDelivery): Record<string, unknown> {
  const { id, type, timestamp, user_id: userId, data } = event;
  const named = userId === null ? data : { user_id: userId, ...data };
  return { id, type, timestamp: new Date(timestamp).toISOString(), data: named };
}

function headersOf({ event: { id }, secrets }: NextDelivery, body: string, options: PostOptions) {
  const timestampSeconds = Math.floor(options.now() / 1_000);
  return {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': options.userAgent,
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signWebhook({ id, timestampSeconds, body, secrets }),
  };
}

type SendOptions = Readonly<{ headers: Record<string, string>; lookup: LookupFunction; signal: AbortSignal }>;

/** Resolves when the head of the answer has arrived. The connection ends with the answer, or with the signal. */
function send(url: URL, body: string, options: SendOptions): Promise<IncomingMessage> {
  const open = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request = open(url, { ...options, method: 'POST', agent: false });
    // After the head, errors are of no interest.
    request.on('error', reject);
    request.once('response', (answer) => {
      let bytes = 0;
      answer.on('error', () => undefined);
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_ANSWER_BYTES) request.destroy();
      });
      resolve(answer);
    });
    request.end(body);
  });
}
