/** The rows of a user in a table: $1 the tenant, $2 the user. */
const OF_USER = `tenant_id = $1::uuid and user_id = $2::text`;

function erase(table: string, where = OF_USER): string {
  // The tenant again: rows of other partitions have the same places.
  return `delete from ${table}
    where tenant_id = $1::uuid and ctid = any(array(select ctid from ${table} where ${where} limit $3::integer))`;
}

/**
 * What is deleted of a user, in this order: name in the receipt, and statement ($3: how many). First what work in
 * flight needs in order to write: an extraction, a compression or a run of a replay without its row is fenced off. What hangs on a row
 * (answers of models, vectors, parts of turns, chunks, versions of summaries) goes with it.
 */
export const ERASED: readonly (readonly [name: string, rows: string])[] = [
  ['replay_memories', erase('replay_memories')],
  ['replay_runs', erase('replay_runs')],
  ['replays', erase('replays')],
  ['extractions', erase('extractions')],
  ['compression_runs', erase('compression_runs')],
  [
    'messages',
    `delete from messages where tenant_id = $1::uuid and ctid = any(array(
       select m.ctid from conversations c
       join messages m on m.tenant_id = c.tenant_id and m.conversation_id = c.id
       where c.tenant_id = $1::uuid and c.user_id = $2::text limit $3::integer))`,
  ],
  ['conversations', erase('conversations')],
  // A document may have thousands of chunks.
  ['documents', erase('documents').replace('$3::integer', 'least($3::integer, 20)')],
  ['memory_versions', erase('memory_versions')],
  ['memories', erase('memories')],
  ['summaries', erase('summaries')],
  ['imported_items', erase('imported_items')],
  ['idempotency_keys', erase('idempotency_keys', `tenant_id = $1::uuid and response->>'user_id' = $2::text`)],
  // A key that is locked to the user is of no use without; other keys belong to applications.
  ['api_keys', erase('api_keys', `${OF_USER} and user_locked`)],
  // Last, as work in flight writes some until its rows are gone.
  ['events', erase('events')],
  // What was spent stays counted, of nobody.
  [
    'usage',
    `with gone as (${erase('usage')} returning *)
     insert into usage as u (tenant_id, day, user_id, model, purpose, calls, input_tokens, output_tokens, cost)
     select tenant_id, day, '', model, purpose, calls, input_tokens, output_tokens, cost from gone
     on conflict (tenant_id, day, user_id, model, purpose) do update
       set calls = u.calls + excluded.calls, input_tokens = u.input_tokens + excluded.input_tokens,
           output_tokens = u.output_tokens + excluded.output_tokens,
           cost = coalesce(u.cost + excluded.cost, u.cost, excluded.cost)`,
  ],
  // Last, as storing any of the others notes the user.
  ['users', erase('users')],
];

/** SQL: whether anything of the user is left that is deleted by erasing. */
export const HAS_ANYTHING = `(${[
  ...[
    'conversations',
    'extractions',
    'compression_runs',
    'replay_runs',
    'replay_memories',
    'replays',
    'documents',
    'memories',
    'memory_versions',
    'summaries',
    'imported_items',
    'events',
    'usage',
    'users',
  ].map((table) => `exists (select from ${table} where ${OF_USER})`),
  `exists (select from idempotency_keys where tenant_id = $1::uuid and response->>'user_id' = $2::text)`,
  `exists (select from api_keys where ${OF_USER} and user_locked)`,
].join(' or ')})`;
