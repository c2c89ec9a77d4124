/** The task of the embedded database's thread. */
export type WorkerTask =
  | Readonly<{ kind: 'create'; directory: string }>
  | Readonly<{ kind: 'serve'; directory: string; password: string }>;

export type ToWorker = 'close';

export type FromWorker =
  | Readonly<{ kind: 'created' }>
  | Readonly<{ kind: 'listening'; port: number }>
  | Readonly<{ kind: 'closed' }>;
