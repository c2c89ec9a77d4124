import { listSchema } from './list.ts';
import type { Operation } from './operation.ts';
import { usageQuerySchema, usageSchema } from './usage.ts';
import { createTenantSchema, listTenantsQuerySchema, patchTenantSchema, tenantSchema } from './tenants.ts';

/** Tenants, for operators, and what they use. */
export const TENANT_OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/v1/usage',
    tag: 'Usage',
    summary: 'Tokens and cost of model calls, by tenant, user, model, purpose and day',
    permission: 'admin',
    query: usageQuerySchema,
    status: 200,
    response: listSchema(usageSchema),
  },
  {
    method: 'post',
    path: '/v1/tenants',
    tag: 'Tenants',
    summary: 'Create a tenant',
    permission: 'operator',
    body: createTenantSchema,
    status: 201,
    response: tenantSchema,
  },
  {
    method: 'get',
    path: '/v1/tenants',
    tag: 'Tenants',
    summary: 'List the tenants by name',
    permission: 'operator',
    query: listTenantsQuerySchema,
    status: 200,
    response: listSchema(tenantSchema),
  },
  {
    method: 'get',
    path: '/v1/tenants/{id}',
    tag: 'Tenants',
    summary: 'Get a tenant',
    permission: 'operator',
    status: 200,
    response: tenantSchema,
  },
  {
    method: 'patch',
    path: '/v1/tenants/{id}',
    tag: 'Tenants',
    summary: 'Change a tenant: its name, default preset, limits and budgets',
    permission: 'operator',
    body: patchTenantSchema,
    status: 200,
    response: tenantSchema,
  },
];
