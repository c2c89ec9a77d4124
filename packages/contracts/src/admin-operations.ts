import { apiKeySchema, createApiKeySchema, createdApiKeySchema, listApiKeysQuerySchema } from './api-keys.ts';
import { listSchema } from './list.ts';
import type { Operation } from './operation.ts';
import { erasureSchema } from './users.ts';

/** What administrators of a tenant do: keys, and users who leave. */
export const ADMIN_OPERATIONS: readonly Operation[] = [
  {
    method: 'delete',
    path: '/v1/users/{id}',
    tag: 'Users',
    summary: 'Erase everything of a user for good; the answer is the receipt',
    permission: 'admin',
    status: 202,
    response: erasureSchema,
  },
  {
    method: 'get',
    path: '/v1/erasures/{id}',
    tag: 'Users',
    summary: 'Get the receipt of an erasure: what was deleted, and whether anything is left',
    permission: 'admin',
    status: 200,
    response: erasureSchema,
  },
  {
    method: 'post',
    path: '/v1/api-keys',
    tag: 'API keys',
    summary: 'Create an API key; it is shown this once',
    permission: 'admin',
    body: createApiKeySchema,
    status: 201,
    response: createdApiKeySchema,
  },
  {
    method: 'get',
    path: '/v1/api-keys',
    tag: 'API keys',
    summary: 'List API keys',
    permission: 'admin',
    query: listApiKeysQuerySchema,
    status: 200,
    response: listSchema(apiKeySchema),
  },
  {
    method: 'delete',
    path: '/v1/api-keys/{id}',
    tag: 'API keys',
    summary: 'Revoke an API key; other gateways follow within 10 seconds',
    permission: 'admin',
    status: 204,
    response: null,
  },
];
