import type {
  ApiKey,
  createApiKeySchema,
  createdApiKeySchema,
  createTenantSchema,
  ErasureReceipt,
  exportUserQuerySchema,
  ImportedRows,
  List,
  listUsersQuerySchema,
  patchTenantSchema,
  patchUserSchema,
  rotateApiKeySchema,
  Tenant,
  Usage,
  usageQuerySchema,
  User,
} from '@factmill/contracts';
import type { InputOf, OutputOf, QueryOf } from './contract-types.ts';
import { EXPORT_TYPE } from './governing.ts';
import { everyItem } from './pages.ts';
import type { RequestOptions, Transport } from './transport.ts';

type UsageQuery = QueryOf<typeof usageQuerySchema>;
type UsersQuery = QueryOf<typeof listUsersQuerySchema>;

/** Users, API keys and tenants. */
export function createAdministering({ send, open }: Transport) {
  const listUsers = (query: UsersQuery = {}, options?: RequestOptions): Promise<List<User>> =>
    send('users.list', { query }, options);
  const listTenants = (
    query: Readonly<{ limit?: number; cursor?: string | undefined }> = {},
    options?: RequestOptions,
  ): Promise<List<Tenant>> => send('tenants.list', { query }, options);

  return {
    /** Users of a tenant; reading needs the permission `memory.read_all`, the rest `admin`. */
    users: {
      /** One page, in the order of the ids. */
      list: listUsers,
      /** All of them, page after page. */
      listAll: (query: Omit<UsersQuery, 'cursor'> = {}, options?: RequestOptions) =>
        everyItem((cursor) => listUsers({ ...query, cursor }, options)),
      get: (id: string, options?: RequestOptions): Promise<User> => send('users.get', { id }, options),
      /** Changes the settings of a user. */
      patch: (id: string, body: InputOf<typeof patchUserSchema>, options?: RequestOptions): Promise<User> =>
        send('users.patch', { id, body }, options),
      /** Erases everything of a user for good. */
      erase: (id: string, options?: RequestOptions): Promise<ErasureReceipt> =>
        send('users.erase', { id }, options),
      /** The receipt of an erasure, by its own id. */
      erasure: (id: string, options?: RequestOptions): Promise<ErasureReceipt> =>
        send('users.erasure', { id }, options),
      /** Everything of a user; the answer's body is the file. `timeoutMs` is until it begins. */
      export: (
        id: string,
        query: Partial<QueryOf<typeof exportUserQuerySchema>> = {},
        options?: RequestOptions,
      ): Promise<Response> => open('users.export', { id, query }, options),
      /** Stores what an export of this user has and what is not there yet. */
      import: (id: string, content: string | Blob, options?: RequestOptions): Promise<ImportedRows> =>
        send('users.import', { id, file: { type: EXPORT_TYPE, content } }, options),
    },
    /** API keys of a tenant; needs the permission `admin`. */
    apiKeys: {
      /** The answer's `key` is shown this once. */
      create: (
        body: InputOf<typeof createApiKeySchema>,
        options?: RequestOptions,
      ): Promise<OutputOf<typeof createdApiKeySchema>> => send('apiKeys.create', { body }, options),
      list: (options?: RequestOptions): Promise<List<ApiKey>> => send('apiKeys.list', {}, options),
      /** All of them, page after page. */
      listAll: (options?: RequestOptions) =>
        everyItem((cursor) => send<List<ApiKey>>('apiKeys.list', { query: { cursor } }, options)),
      /** A new secret for a key, shown this once; the old one works for `overlap_seconds` more. */
      rotate: (
        id: string,
        body: InputOf<typeof rotateApiKeySchema> = {},
        options?: RequestOptions,
      ): Promise<OutputOf<typeof createdApiKeySchema>> => send('apiKeys.rotate', { id, body }, options),
      revoke: (id: string, options?: RequestOptions): Promise<void> =>
        send('apiKeys.revoke', { id }, options),
    },
    /** Tokens and cost of model calls; needs the permission `admin`, for other tenants `operator` too. */
    usage: (query: UsageQuery = {}, options?: RequestOptions): Promise<List<Usage>> =>
      send('usage', { query }, options),
    /** Needs the permission `operator`. */
    tenants: {
      create: (body: InputOf<typeof createTenantSchema>, options?: RequestOptions): Promise<Tenant> =>
        send('tenants.create', { body }, options),
      /** One page, by name. */
      list: listTenants,
      /** All of them, page after page. */
      listAll: (options?: RequestOptions) => everyItem((cursor) => listTenants({ cursor }, options)),
      get: (id: string, options?: RequestOptions): Promise<Tenant> => send('tenants.get', { id }, options),
      patch: (
        id: string,
        body: InputOf<typeof patchTenantSchema>,
        options?: RequestOptions,
      ): Promise<Tenant> => send('tenants.patch', { id, body }, options),
    },
  };
}
