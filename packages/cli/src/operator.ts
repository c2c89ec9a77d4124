import type {
  ApiKey,
  ClearedMemories,
  Compression,
  CompressionDetails,
  ImportedItem,
  ImportItem,
  Memory,
  Permission,
  PresetName,
  Setting,
  StartedCompression,
} from '@factmill/contracts';

type NewKey = Readonly<{
  name: string;
  permissions: readonly Permission[];
  userId: string | undefined;
  userLocked: boolean;
  preset: PresetName | undefined;
  expiresAt: Date | undefined;
}>;

type WantedCompression = Readonly<{
  userId: string;
  kind: Compression['kind'];
  date: string | undefined;
  dryRun: boolean;
}>;

type ImportBatch = Readonly<{ source: string; items: readonly ImportItem[]; dryRun: boolean }>;

/**
 * What commands do for operators, by the API of a running gateway or on the Postgres of the services. `tenant` is the
 * name of a tenant; undefined is `default`, and by the API the tenant of the key.
 */
export type Operator = Readonly<{
  settings: Readonly<{
    list: () => Promise<readonly Setting[]>;
    /** Takes the value as it is written on a command line. */
    set: (key: string, text: string) => Promise<Setting>;
    unset: (key: string) => Promise<Setting>;
  }>;
  keys: Readonly<{
    /** Resolves to the whole key, which is shown this once. */
    create: (key: NewKey, tenant: string | undefined) => Promise<string>;
    list: (tenant: string | undefined) => Promise<readonly ApiKey[]>;
    revoke: (id: string, tenant: string | undefined) => Promise<void>;
  }>;
  /** Removes everything that is remembered of a user. */
  clear: (userId: string, tenant: string | undefined) => Promise<ClearedMemories>;
  /** Imports up to 1,000 items for a user. */
  import: (
    userId: string,
    batch: ImportBatch,
    tenant: string | undefined,
  ) => Promise<readonly ImportedItem[]>;
  /** The current memories of a user, newest first. */
  memoriesOf: (userId: string, tenant: string | undefined) => AsyncIterable<Memory>;
  compressions: Readonly<{
    start: (wanted: WantedCompression, tenant: string | undefined) => Promise<StartedCompression>;
    get: (id: string, tenant: string | undefined) => Promise<CompressionDetails>;
    /** The latest, newest first. */
    list: (userId: string | undefined, tenant: string | undefined) => Promise<readonly Compression[]>;
  }>;
}>;

/** Runs listed by one command. */
export const LISTED_COMPRESSIONS = 50;
