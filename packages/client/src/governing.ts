import type {
  AuditRecord,
  AuditVerification,
  ImportedRows,
  LegalHold,
  List,
  listAuditQuerySchema,
  listLegalHoldsQuerySchema,
  listRetentionRunsQuerySchema,
  patchRetentionSchema,
  placeLegalHoldSchema,
  RetentionDays,
  RetentionRun,
  startRetentionSchema,
  TenantStatistics,
  verifyAuditQuerySchema,
} from '@factmill/contracts';
import type { InputOf, QueryOf } from './contract-types.ts';
import { everyItem } from './pages.ts';
import type { RequestOptions, Transport } from './transport.ts';

type AuditQuery = QueryOf<typeof listAuditQuerySchema>;
type RunsQuery = QueryOf<typeof listRetentionRunsQuerySchema>;
type HoldsQuery = QueryOf<typeof listLegalHoldsQuerySchema>;

export const EXPORT_TYPE = 'application/x-ndjson';

/** What those who answer for a tenant's data do. */
export function createGoverning({ send, open }: Transport) {
  const listAudit = (query: AuditQuery = {}, options?: RequestOptions): Promise<List<AuditRecord>> =>
    send('audit.list', { query }, options);
  const listRuns = (query: RunsQuery = {}, options?: RequestOptions): Promise<List<RetentionRun>> =>
    send('retention.runs', { query }, options);
  const listHolds = (query: HoldsQuery = {}, options?: RequestOptions): Promise<List<LegalHold>> =>
    send('legalHolds.list', { query }, options);

  return {
    /** All users of the key's tenant; needs the permission `admin`, statistics `memory.read_all`. */
    tenant: {
      /** What is kept of all users, and what waits. */
      stats: (options?: RequestOptions): Promise<TenantStatistics> => send('tenant.stats', {}, options),
      /** Everything; the answer's body is the file. */
      export: (options?: RequestOptions): Promise<Response> => open('tenant.export', {}, options),
      import: (content: string | Blob, options?: RequestOptions): Promise<ImportedRows> =>
        send('tenant.import', { file: { type: EXPORT_TYPE, content } }, options),
    },
    /** Who did what to whom; needs the permission `audit.read`. */
    audit: {
      /** One page, newest first. */
      list: listAudit,
      /** All of them, page after page. */
      listAll: (query: Omit<AuditQuery, 'cursor'> = {}, options?: RequestOptions) =>
        everyItem((cursor) => listAudit({ ...query, cursor }, options)),
      /** Looks for the first record that was changed, removed or moved. */
      verify: (
        query: QueryOf<typeof verifyAuditQuerySchema> = {},
        options?: RequestOptions,
      ): Promise<AuditVerification> => send('audit.verify', { query }, options),
    },
    /** For how many days a tenant keeps things; needs the permission `admin`. */
    retention: {
      get: (options?: RequestOptions): Promise<RetentionDays> => send('retention.get', {}, options),
      set: (body: InputOf<typeof patchRetentionSchema>, options?: RequestOptions): Promise<RetentionDays> =>
        send('retention.set', { body }, options),
      /** Removes what is too old, or with `dry_run` only counts it. */
      run: (
        body: InputOf<typeof startRetentionSchema> = {},
        options?: RequestOptions,
      ): Promise<RetentionRun> => send('retention.run', { body }, options),
      /** One page of receipts, newest first. */
      runs: listRuns,
      /** All receipts, page after page. */
      allRuns: (query: Omit<RunsQuery, 'cursor'> = {}, options?: RequestOptions) =>
        everyItem((cursor) => listRuns({ ...query, cursor }, options)),
      receipt: (id: string, options?: RequestOptions): Promise<RetentionRun> =>
        send('retention.receipt', { id }, options),
    },
    /** What neither retention nor an erasure may remove; needs the permission `admin`. */
    legalHolds: {
      /** On a user, or without one on the whole tenant. */
      place: (
        body: InputOf<typeof placeLegalHoldSchema> = {},
        options?: RequestOptions,
      ): Promise<LegalHold> => send('legalHolds.place', { body }, options),
      /** One page, newest first. */
      list: listHolds,
      /** All of them, page after page. */
      listAll: (query: Omit<HoldsQuery, 'cursor'> = {}, options?: RequestOptions) =>
        everyItem((cursor) => listHolds({ ...query, cursor }, options)),
      lift: (id: string, options?: RequestOptions): Promise<void> => send('legalHolds.lift', { id }, options),
    },
  };
}
