import type { Config, QueueLimits, StatementClass } from '@factmill/config';
import type { Schedule } from '@factmill/contracts';
import type { AcceptRequest, Database } from '@factmill/database';
import type { Queues } from '@factmill/queue';
import type { Logger } from '@factmill/telemetry';
import type { Authenticator } from '@factmill/auth';
import type { RequestHandler } from 'express';
import type { AcceptedRequest } from './accepting/accept.ts';
import type { DocumentCutter } from './documents/document-cutter.ts';

/** What the routes are built from. */
export type RouteDeps = Readonly<{
  config: Config;
  logger: Logger;
  /** By what is asked of it: each has as long as a statement of that class may take. */
  database: Readonly<Record<Exclude<StatementClass, 'search' | 'maintenance'>, Database>>;
  queues: Queues;
  authenticator: Authenticator;
  /** What requests pass whose body is not read yet: who asks, and whether they may ask more. */
  admit: RequestHandler[];
  /** What chats pass besides: their turn among those of all tenants. */
  chatTurn: RequestHandler;
  /** Waits for a turn of a tenant's work whose request takes none by itself; the result ends it. */
  takeTurn: (tenantId: string) => Promise<() => void>;
  /** The queue limits in force. */
  limits: () => Promise<QueueLimits>;
  /** When conversations are extracted, where they do not say. */
  schedule: Schedule;
  accept: (request: AcceptRequest) => Promise<AcceptedRequest | null>;
  documentCutter: DocumentCutter;
  now: () => Date;
  /** UUIDv7. */
  newId: () => string;
}>;
