import { OPERATIONS } from './operations.ts';

/** Of the contract, built or not yet, and of what stands beside `/v1`. */
const NAMES = `
  users erasures tenants usage queue queues events webhooks replays audit memories conversations extractions context
  summary summaries profile stats documents tools api-keys settings health healthz readyz metrics docs openapi.json
  admin console mcp mem0`;

/**
 * First segments below `/v1` that are ours, in lower case: a request to one of them never goes to an upstream, so that
 * what is not built yet, or is misspelt further on, hands no user's data to a model provider.
 */
export const RESERVED_SEGMENTS: ReadonlySet<string> = new Set([
  ...NAMES.trim().split(/\s+/),
  ...OPERATIONS.map(({ path }) => path.split('/')[2] ?? ''),
]);
