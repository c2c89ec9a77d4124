/** What the thread of the embedded database is started with. */
export type WorkerTask = Readonly<{ directory: string; password: string }>;

export type ToWorker = 'close';

export type FromWorker = Readonly<{ kind: 'listening'; port: number }> | Readonly<{ kind: 'closed' }>;

/** From the process that creates a database. */
export type FromCreator = Readonly<{ kind: 'created' }> | Readonly<{ kind: 'failed'; error: unknown }>;
