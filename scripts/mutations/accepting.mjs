const SQL = 'packages/database/functions';
const QUERIES = 'packages/database/src/queries';

/** @type {readonly import('./mutation.mjs').Mutation[]} */
export const accepting = [
  {
    name: 'background work looks for a row of one tenant in all partitions',
    file: `${QUERIES}/claim-by-tenant.ts`,
    search: 'where r.tenant_id = $1::uuid and r.id = given.id',
    replace: 'where $1::uuid is not null and r.id = given.id',
    tests: ['packages/database/src/queries/one-tenant-at-a-time.int.test.ts'],
  },
  {
    name: 'conversations that another transaction holds keep the next ones waiting',
    file: `${SQL}/schedule_due_conversations.sql`,
    search: 'limit 4 * most + 16',
    replace: 'limit most',
    tests: ['packages/database/src/queries/claim-by-tenant.int.test.ts'],
  },
  {
    name: 'drop-oldest: of tenants with equal backlogs the newest is dropped',
    file: `${SQL}/drop_oldest.sql`,
    search: 'order by depth desc, accepted_no limit v_excess',
    replace: 'order by depth desc, accepted_no desc limit v_excess',
    tests: ['services/gateway/src/accepting/drop-oldest.int.test.ts'],
  },
  {
    name: 'drop-oldest: the newest of a tenant is dropped',
    file: `${SQL}/drop_oldest.sql`,
    search: 'order by e.accepted_no desc offset tenant_queue_limit',
    replace: 'order by e.accepted_no offset tenant_queue_limit',
    tests: ['services/gateway/src/accepting/drop-oldest.int.test.ts'],
  },
  {
    name: 'drop-oldest: what has started is dropped too',
    file: `${SQL}/drop_oldest.sql`,
    search: `as depth
            from extractions where state = 'pending' and started_at is null`,
    replace: `as depth
            from extractions where state = 'pending'`,
    tests: ['services/gateway/src/accepting/drop-oldest.int.test.ts'],
  },
  {
    name: 'the unknown user is stored',
    file: `${SQL}/accept_conversation.sql`,
    search: `if v_user = 'unknown' then`,
    replace: `if v_user = 'nobody' then`,
    tests: ['services/gateway/src/accepting/accepting.int.test.ts'],
  },
  {
    name: 'another message under a known id is accepted',
    file: `${SQL}/conflicting_messages.sql`,
    search: 'row(known.role, known.content,',
    replace: "row(known.role, m.body->>'content',",
    tests: ['services/gateway/src/accepting/accepting.int.test.ts'],
  },
  {
    name: 'channel and sender of a message are not stored',
    file: `${SQL}/accept_new_conversations.sql`,
    search: `body->>'channel', body->>'sender',`,
    replace: 'null, null,',
    tests: ['services/gateway/src/accepting/accepting.int.test.ts'],
  },
  {
    name: 'a reply to a user who was erased meanwhile is stored',
    file: `${SQL}/accept_conversation.sql`,
    search: "if r ? 'turn_accepted_at' and not exists (",
    replace: 'if false and not exists (',
    tests: ['services/gateway/src/chat/chat-memory.int.test.ts'],
  },
  {
    name: 'the same words said anew are the turn that was deleted',
    file: `${SQL}/accept_conversation.sql`,
    search: "and id = r->>'reply_to' and received_at <= (r->>'turn_accepted_at')::timestamptz) then",
    replace: "and id = r->>'reply_to') then",
    tests: ['services/gateway/src/chat/chat-memory.int.test.ts'],
  },
  {
    name: 'a reply begins the conversation again that was erased',
    file: `${SQL}/accept_new_conversations.sql`,
    search: " and not r ? 'turn_accepted_at'",
    replace: '',
    tests: ['services/gateway/src/chat/chat-memory.int.test.ts'],
  },
  {
    name: 'the daily flush is a day late',
    file: `${SQL}/next_daily_flush.sql`,
    search: 'case when v_at > after then v_at',
    replace: 'case when false then v_at',
    tests: [`${QUERIES}/accept/schedule.int.test.ts`],
  },
  {
    name: 'conversations are stale however short they have been idle',
    file: `${SQL}/make_stale_due.sql`,
    search: "now() - stale_after_s * interval '1 second'",
    replace: "now() + interval '1 day'",
    tests: [`${QUERIES}/accept/schedule.int.test.ts`],
  },
  {
    name: 'an outdated worker applies, new memories',
    file: `${SQL}/apply_new_memories.sql`,
    search:
      "where id = extraction and tenant_id = v_tenant and fence = claim_fence and state = 'active' for update",
    replace: "where id = extraction and tenant_id = v_tenant and state = 'active' for update",
    tests: [`${QUERIES}/extractions/apply-memories.int.test.ts`],
  },
  {
    name: 'an outdated worker applies, compared memories',
    file: `${QUERIES}/claims.ts`,
    search: "tenant_id = $3::uuid and fence = $2::integer and state = 'active' for update`",
    replace: "tenant_id = $3::uuid and $2::integer > 0 and state = 'active' for update`",
    tests: [`${QUERIES}/extractions/ledger.int.test.ts`],
  },
  {
    name: 'writers of one user do not wait for each other',
    file: `${SQL}/lock_user_memories.sql`,
    search: "tenant::text || ' ' || owner, 0)",
    replace: 'gen_random_uuid()::text || tenant::text || owner, 0)',
    tests: ['packages/memories/src/write-memories.int.test.ts'],
  },
  {
    name: 'a pinned answer is not used',
    file: 'services/extractor/src/extracting/call-model.ts',
    search: 'if (pinned !== null) return { output: pinned, unpinned: null };',
    replace: '',
    tests: ['services/extractor/src/extractor.int.test.ts'],
  },
  {
    name: 'Retry-After is not obeyed',
    file: 'packages/queue/src/backoff.ts',
    search: 'Math.max(own, asked)',
    replace: 'own',
    tests: ['packages/queue/src/backoff.test.ts'],
  },
  {
    name: 'an outage of the provider counts as an attempt',
    file: 'services/extractor/src/runs/decide-retry.ts',
    search: "{ kind: 'retry', delayMs, countsAsAttempt: false }",
    replace: "{ kind: 'retry', delayMs, countsAsAttempt: true }",
    tests: ['services/extractor/src/runs/decide-retry.test.ts'],
  },
  {
    name: 'the daily flush comes with the daily compression',
    file: 'packages/config/src/settings/extraction.ts',
    search: ".default('02:30')",
    replace: ".default('03:00')",
    tests: ['packages/config/src/load-config.test.ts'],
  },
];
