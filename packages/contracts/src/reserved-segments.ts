import { OPERATIONS } from './operations.ts';

/** Segments of the contract, built or planned, and of the paths beside `/v1`. */
const NAMES = `
  users erasures tenants usage queue queues events webhooks replays audit memories conversations extractions context
  summary summaries profile stats documents tools api-keys settings health healthz readyz metrics docs openapi.json
  admin console mcp mem0`;

/**
 * First segments below `/v1` that belong to Factmill, in lower case. Such a request never goes to an upstream, so
 * that a planned or misspelt path does not send a user's data to a model provider.
 */
export const RESERVED_SEGMENTS: ReadonlySet<string> = new Set([
  ...NAMES.trim().split(/\s+/),
  ...OPERATIONS.map(({ path }) => path.split('/')[2] ?? ''),
]);
