import { createHmac } from 'node:crypto';

/**
 * The value of `webhook-signature` (Standard Webhooks): one signature for each secret, so that receivers may verify with
 * either while a secret is replaced. A secret is `whsec_` and base64 of the key.
 */
export function signWebhook(
  message: Readonly<{ id: string; timestampSeconds: number; body: string; secrets: readonly string[] }>,
): string {
  const { id, timestampSeconds, body, secrets } = message;
  return secrets
    .map((secret) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .map((key) => createHmac('sha256', key).update(`${id}.${timestampSeconds}.${body}`).digest('base64'))
    .map((signature) => `v1,${signature}`)
    .join(' ');
}
