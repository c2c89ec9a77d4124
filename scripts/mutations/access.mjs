const QUERIES = 'packages/database/src/queries';
const OTHER_TENANTS = [`${QUERIES}/other-tenants.int.test.ts`];

/** @type {readonly import('./mutation.mjs').Mutation[]} */
export const access = [
  {
    name: 'neighbours of another tenant',
    file: 'packages/database/functions/near_vectors.sql',
    search: 'where e.tenant_id = tenant and e.user_id = owner',
    replace: 'where e.user_id = owner',
    tests: OTHER_TENANTS,
  },
  {
    name: 'memories of another tenant to match',
    file: 'packages/database/functions/matching_memory_ids.sql',
    search: `where tenant_id = tenant and user_id = owner and conversation_id = conversation
    and content_hash`,
    replace: `where user_id = owner and conversation_id = conversation
    and content_hash`,
    tests: OTHER_TENANTS,
  },
  {
    name: 'the profile of another tenant',
    file: `${QUERIES}/summaries/summaries.ts`,
    search: 'where m.tenant_id = $1::uuid and m.user_id = $2::text and m.tier = 1',
    replace: 'where $1::uuid is not null and m.user_id = $2::text and m.tier = 1',
    tests: OTHER_TENANTS,
  },
  {
    name: 'the narrative of another tenant',
    file: `${QUERIES}/summaries/summary-parts.ts`,
    search: "where m.tenant_id = $1::uuid and m.user_id = $2::text and m.conversation_id = ''",
    replace: "where $1::uuid is not null and m.user_id = $2::text and m.conversation_id = ''",
    tests: OTHER_TENANTS,
  },
  {
    name: 'known memories of another tenant, by vector',
    file: `${QUERIES}/extractions/known-memories.ts`,
    search: 'where e.tenant_id = $1::uuid and e.user_id = $2::text',
    replace: 'where e.user_id = $2::text',
    tests: OTHER_TENANTS,
  },
  {
    name: 'known memories of another tenant, by time',
    file: `${QUERIES}/extractions/known-memories.ts`,
    search: `where m.tenant_id = $1::uuid and m.user_id = $2::text and \${SEEN}
       order by`,
    replace: `where m.user_id = $2::text and \${SEEN}
       order by`,
    tests: OTHER_TENANTS,
  },
  {
    name: 'known memories of another tenant, with a claim',
    file: 'packages/database/functions/claim_extraction.sql',
    search: 'from memories where tenant_id = tenant and user_id = v_row.user_id',
    replace: 'from memories where user_id = v_row.user_id',
    tests: OTHER_TENANTS,
  },
  {
    name: 'documents of another tenant',
    file: `${QUERIES}/documents/document-matches.ts`,
    search: 'where d.tenant_id = $1::uuid and d.user_id = $2::text and (',
    replace: 'where $1::uuid is not null and d.user_id = $2::text and (',
    tests: OTHER_TENANTS,
  },
  {
    name: 'memories in the list of another tenant',
    file: `${QUERIES}/memories/memories.ts`,
    search: 'where m.tenant_id = $1::uuid and ($2::text is null or m.user_id = $2::text) and ${inState',
    replace: 'where $1::uuid is not null and ($2::text is null or m.user_id = $2::text) and ${inState',
    tests: ['services/gateway/src/routes/tenants.int.test.ts'],
  },
  {
    name: 'memories of another tenant in a search',
    file: 'packages/search/src/target.ts',
    search: '`${alias}.tenant_id = $1::uuid`,',
    replace: '`$1::uuid is not null`,',
    tests: ['packages/search/src/channels/channels-of-users.int.test.ts'],
  },
  {
    name: 'turns of another tenant that are not indexed yet',
    file: 'packages/search/src/channels/unindexed-turns.ts',
    search: 'where c.tenant_id = $1::uuid and ${owned}',
    replace: 'where $1::uuid is not null and ${owned}',
    tests: ['packages/search/src/channels/turns-of-tenants.int.test.ts'],
  },
  {
    name: 'lists of all users without the permission',
    file: 'packages/auth/src/resolve-user.ts',
    search: "assertPermission(principal, 'memory.read_all');",
    replace: '',
    tests: ['packages/auth/src/resolve-user.test.ts', 'services/gateway/src/routes/memories.int.test.ts'],
  },
  {
    name: 'a locked key reaches other users',
    file: 'packages/auth/src/resolve-user.ts',
    search: 'if (requested !== undefined && requested !== pinnedUserId) throw userLocked();',
    replace: '',
    tests: ['packages/auth/src/resolve-user.test.ts'],
  },
  {
    name: "the key's name wins over its user",
    file: 'packages/auth/src/resolve-user.ts',
    search: 'principal.pinnedUserId ?? principal.keyName ??',
    replace: 'principal.keyName ?? principal.pinnedUserId ??',
    tests: ['packages/auth/src/resolve-user.test.ts'],
  },
];
