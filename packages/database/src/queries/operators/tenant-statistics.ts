import { MAX_COUNTED_OF_TENANT } from '@factmill/contracts';
import type { Sql } from '../../pool/sql.ts';
import { listed } from '../memories/memory-rows.ts';

export type TenantStatisticsRow = Readonly<{
  users: number;
  conversations: number;
  memories: number;
  documents: number;
  pending: number;
  active: number;
  /** Of the pending ones, those that wait because a budget is used up. */
  deferred: number;
  oldestWaitingAt: Date | null;
}>;

/**
 * Counts what is kept of all users of a tenant, each up to MAX_COUNTED_OF_TENANT. Reads so many entries of users_pkey,
 * conversations_pkey, memories_user_idx, documents_user_idx and extractions_conversation_open_idx.
 */
export function readTenantStatistics(sql: Sql, tenantId: string): Promise<TenantStatisticsRow> {
  const some = (of: string) =>
    `(select count(*)::integer from (${of} limit ${MAX_COUNTED_OF_TENANT}) as counted)`;
  return sql.one<TenantStatisticsRow>(
    `with open as materialized (
       select state, accepted_at, deferred_until > now() as deferred from extractions
       where tenant_id = $1::uuid and state in ('pending', 'active') limit ${MAX_COUNTED_OF_TENANT}
     )
     select ${some('select from users where tenant_id = $1::uuid')} as users,
       ${some('select from conversations where tenant_id = $1::uuid')} as conversations,
       ${some(`select from memories m where tenant_id = $1::uuid and ${listed('m')}`)} as memories,
       ${some('select from documents where tenant_id = $1::uuid')} as documents,
       (select count(*) from open where state = 'pending')::integer as pending,
       (select count(*) from open where state = 'active')::integer as active,
       (select count(*) from open where state = 'pending' and deferred)::integer as deferred,
       (select min(accepted_at) from open where state = 'pending' and deferred is not true) as "oldestWaitingAt"`,
    [tenantId],
  );
}
