import type { Config } from '@factmill/config';
import type { DatabasePool } from '@factmill/database';
import type { Embedder } from '@factmill/models';
import type { QueueConfig, Queues } from '@factmill/queue';
import type { Logger, Telemetry } from '@factmill/telemetry';

export type ExtractorDeps = Readonly<{
  /** Of the database, for work that takes longer than a statement may; null on embedded storage. */
  connectionString: string | null;
  config: Config;
  logger: Logger;
  telemetry: Telemetry;
  database: DatabasePool;
  queueConfig: QueueConfig;
  queues: Queues;
  embedder: Embedder;
}>;
