import type { z } from 'zod';
import type { Permission } from './api-keys.ts';

/** One operation of the REST API. */
export type Operation = Readonly<{
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** OpenAPI form, with `{id}` placeholders. */
  path: string;
  tag: string;
  summary: string;
  permission: Permission;
  /**
   * Set when a request can reach all users of the tenant: with `all_users`, or (`by_default`) when neither the
   * request nor its key names a user. It then needs `memory.read_all` too.
   */
  acrossUsers?: 'by_request' | 'by_default';
  query?: z.ZodType;
  body?: z.ZodType;
  /** The type of a body that is not JSON. */
  bodyType?: string;
  /** The answer's status and schema; null for no body. */
  status: number;
  response: z.ZodType | null;
  /** The types of an answer that is not JSON. */
  responseTypes?: readonly string[];
  /**
   * Answers 200 with `skipped` and nothing else of its own when nobody says whose memory it is, or memory is off for
   * them. Where `response` has `skipped` itself, this is not needed.
   */
  maySkip?: true;
  idempotent?: boolean;
  /** Also answers as a stream of server-sent events, to `Accept: text/event-stream`. */
  isStreamed?: boolean;
}>;
