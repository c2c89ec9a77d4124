import type { Latest } from '@factmill/async';
import type { Config, QueueLimits, StatementClass } from '@factmill/config';
import type { Schedule } from '@factmill/contracts';
import type { AcceptRequest, Database } from '@factmill/database';
import type { Queues } from '@factmill/queue';
import type { Access, UsageMeter, UserDefaultsReader } from '@factmill/runtime';
import type { Logger } from '@factmill/telemetry';
import type { RequestHandler } from 'express';
import type { AcceptOutcome } from './accepting/accept.ts';
import type { RetrievalClient } from './retrieval/retrieval-client.ts';
import type { DocumentCutter } from './documents/document-cutter.ts';

/** Dependencies of the routes. */
export type RouteDeps = Readonly<{
  config: Config;
  logger: Logger;
  /** One pool view per class of statement, each with that class's time limit. */
  database: Readonly<Record<Exclude<StatementClass, 'search' | 'maintenance'>, Database>>;
  /** As `batch`, for what concerns all tenants at once; the others see the caller's tenant only. */
  allTenants: Database;
  queues: Queues;
  retrieval: RetrievalClient;
  authenticator: Access;
  /** Middleware before the body is read: authentication and rate limits. */
  admit: RequestHandler[];
  /** Further middleware for chats: waits for a turn among all tenants. */
  chatTurn: RequestHandler;
  /** Waits for a turn for a tenant's work outside the middleware; the result ends the turn. */
  takeTurn: (tenantId: string) => Promise<() => void>;
  /** The queue limits in force. */
  limits: () => Promise<QueueLimits>;
  /** What operators changed at run time; a change arrives within a second. */
  settings: Latest<Readonly<Record<string, unknown>>>;
  /** Default schedule of conversations. */
  schedule: Schedule;
  accept: (request: AcceptRequest) => Promise<AcceptOutcome>;
  /** What counts for a user where nothing nearer says it; a change arrives within a second. */
  userDefaults: UserDefaultsReader;
  usage: UsageMeter;
  documentCutter: DocumentCutter;
  /** Fires when the gateway stops: what is open has to end. */
  closing: AbortSignal;
  now: () => Date;
  /** UUIDv7. */
  newId: () => string;
}>;
