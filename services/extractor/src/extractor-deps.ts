import type { ChangeSignal } from '@factmill/async';
import type { Config } from '@factmill/config';
import type { DatabasePool } from '@factmill/database';
import type { Embedder } from '@factmill/models';
import type { QueueConfig, Queues } from '@factmill/queue';
import type { Logger, Telemetry } from '@factmill/telemetry';

export type ExtractorDeps = Readonly<{
  /** Embedded storage has no autovacuum. */
  isEmbedded: boolean;
  config: Config;
  logger: Logger;
  telemetry: Telemetry;
  database: DatabasePool;
  queueConfig: QueueConfig;
  queues: Queues;
  embedder: Embedder;
  /**
   * Says when somebody else in this process has used the database, so that timers can rest; null when other processes
   * use it too.
   */
  signal: ChangeSignal | null;
}>;
