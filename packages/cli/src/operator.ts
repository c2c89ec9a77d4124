import type {
  ApiKey,
  AuditVerification,
  ClearedMemories,
  Compression,
  CompressionDetails,
  ImportedItem,
  ImportedRows,
  ImportItem,
  PatchTenant,
  PatchUser,
  Permission,
  PresetName,
  Setting,
  StartedCompression,
  Tenant,
  Usage,
  UsageDimension,
  User,
} from '@factmill/contracts';
import type { ExportLine } from '@factmill/exchange';

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

/** What is left out stays as it is. */
type UserSettings = PatchUser;
export type TenantSettings = Omit<PatchTenant, 'name'>;

type UsageQuery = Readonly<{
  groupBy: readonly UsageDimension[];
  /** Days, `2026-11-21`. */
  since: string | undefined;
  until: string | undefined;
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
    /** Gives a key a new secret. Resolves to the whole key, which is shown this once. */
    rotate: (id: string, overlapSeconds: number, tenant: string | undefined) => Promise<string>;
    revoke: (id: string, tenant: string | undefined) => Promise<void>;
  }>;
  audit: Readonly<{
    /** `known`: a record seen earlier, which still has to be there. */
    verify: (
      known: Readonly<{ number: number; hash: string }> | null,
      tenant: string | undefined,
    ) => Promise<AuditVerification>;
  }>;
  users: Readonly<{
    /** In the order of the ids. */
    list: (prefix: string, tenant: string | undefined) => AsyncIterable<User>;
    set: (userId: string, changes: UserSettings, tenant: string | undefined) => Promise<User>;
  }>;
  tenants: Readonly<{
    /** By name. */
    list: () => AsyncIterable<Tenant>;
    create: (name: string, settings: TenantSettings) => Promise<Tenant>;
    set: (name: string, settings: TenantSettings) => Promise<Tenant>;
  }>;
  /** What calls of models cost, grouped, at most LISTED_USAGE groups. */
  usage: (query: UsageQuery, tenant: string | undefined) => Promise<readonly Usage[]>;
  /** Removes everything that is remembered of a user. */
  clear: (userId: string, tenant: string | undefined) => Promise<ClearedMemories>;
  /** Imports up to 1,000 items for a user. */
  import: (
    userId: string,
    batch: ImportBatch,
    tenant: string | undefined,
  ) => Promise<readonly ImportedItem[]>;
  /** Everything of a user, or with null of all users, as the parts of a file. */
  exportRows: (
    userId: string | null,
    tenant: string | undefined,
    write: (part: Uint8Array) => Promise<void>,
  ) => Promise<void>;
  /** Stores what an export has and what is not there yet. */
  importRows: (
    userId: string | null,
    file: Readonly<{ path: string; lines: () => AsyncIterable<ExportLine> }>,
    tenant: string | undefined,
  ) => Promise<ImportedRows>;
  compressions: Readonly<{
    start: (wanted: WantedCompression, tenant: string | undefined) => Promise<StartedCompression>;
    get: (id: string, tenant: string | undefined) => Promise<CompressionDetails>;
    /** The latest, newest first. */
    list: (userId: string | undefined, tenant: string | undefined) => Promise<readonly Compression[]>;
  }>;
}>;

/** Groups of usage listed by one command. */
export const LISTED_USAGE = 1_000;
/** Runs listed by one command. */
export const LISTED_COMPRESSIONS = 50;
