/** A table whose rows an export has, one line each. */
export type ExchangedTable = Readonly<{
  /** What the lines of the table say they are. */
  type: string;
  table: string;
  /** Columns that lines have and imports store. */
  columns: readonly string[];
  /** Columns of a line that are computed (SQL over `t`), in place of the column of that name or beside them. */
  computed?: Readonly<Record<string, string>>;
  /** The order of lines: columns with their types. */
  key: readonly (readonly [column: string, type: string])[];
  /** Which rows are of the user $2 (SQL over `t`). */
  ofUser?: string;
  /** Rows that are exported at all. */
  only?: string;
  /** What else an import stores: column → SQL over `r`, the row, and `line`, its JSON. $3: whether vectors are wanted. */
  stored?: Readonly<Record<string, string>>;
  /** The rows belong to those of another table: they are stored with them or not at all. */
  parent?: Readonly<{ table: string; column: string }>;
  /** Ids are the callers' own: another user may have the same. */
  hasCallersIds?: true;
}>;

/** At least one extraction of the conversation `t` has not ended: its messages have to be extracted anew. */
const OPEN = `from extractions e where e.tenant_id = t.tenant_id and e.conversation_id = t.id
  and e.state in ('pending', 'active')`;

/**
 * All that an export has of a user, in the order of its lines: what others refer to comes first. Vectors and parts of
 * turns are left out, as they are computed again; so is what is in work, and with it keys and receipts.
 */
export const EXCHANGED_TABLES: readonly ExchangedTable[] = [
  {
    // What is set for the user. First, as rows of all others make the user known.
    type: 'user',
    table: 'users',
    columns: 'user_id preset memory retention_days created_at updated_at'.split(' '),
    key: [['user_id', 'text']],
  },
  {
    type: 'conversation',
    table: 'conversations',
    columns:
      'id user_id project title policy metadata last_seq scheduled_seq extracted_seq evicted_seq removed_seq created_at last_active_at extracted_at'.split(
        ' ',
      ),
    computed: {
      scheduled_seq: `least(t.scheduled_seq, (select min(e.from_seq) - 1 ${OPEN}))`,
      waits_until: `case when exists (select ${OPEN}) then timestamptz '1970-01-01 00:00Z' else t.extraction_due_at end`,
    },
    key: [['id', 'text']],
    stored: {
      extraction_due_at: `(line->>'waits_until')::timestamptz`,
      // Turns that have left are not to be found again.
      indexed_seq: 'greatest(r.evicted_seq, r.removed_seq)',
    },
    hasCallersIds: true,
  },
  {
    type: 'message',
    table: 'messages',
    columns:
      'conversation_id seq id role content name tool_calls tool_call_id channel sender token_estimate superseded created_at received_at removed_at'.split(
        ' ',
      ),
    key: [
      ['conversation_id', 'text'],
      ['seq', 'integer'],
    ],
    ofUser:
      't.conversation_id in (select id from conversations where tenant_id = $1::uuid and user_id = $2::text)',
    parent: { table: 'conversations', column: 'conversation_id' },
  },
  {
    type: 'extraction',
    table: 'extractions',
    columns:
      'id user_id conversation_id from_seq to_seq trigger preset state attempts generation reason error_class error_message degraded added updated deleted unchanged rejected memory_ids model prompt_tokens completion_tokens model_calls model_ms embed_ms apply_ms metadata accepted_at started_at claimed_at finished_at replaces_from_seq rejections'.split(
        ' ',
      ),
    // The order in which they were accepted is the order in which they are stored again.
    key: [['accepted_no', 'bigint']],
    only: `t.state not in ('pending', 'active')`,
    parent: { table: 'conversations', column: 'conversation_id' },
  },
  {
    type: 'memory',
    table: 'memories',
    columns:
      'id user_id tier kind category key value content question answer tags project topic importance confidence source source_context scope conversation_id content_hash subject_hash stated_at valid_from valid_to expires_at last_verified_at last_accessed_at access_count archived_at deleted_at superseded_by extraction_id message_ids metadata created_at updated_at compressed_at channel sender event_date source_tokens'.split(
        ' ',
      ),
    key: [['id', 'uuid']],
    stored: {
      embedding_pending_since: `case when $3::boolean and r.valid_to is null and r.archived_at is null
        and r.deleted_at is null then now() end`,
    },
  },
  {
    type: 'memory_version',
    table: 'memory_versions',
    columns: 'memory_id number user_id operation before after actor extraction_id created_at cause'.split(
      ' ',
    ),
    computed: { before: `t.before - 'tenant_id'`, after: `t.after - 'tenant_id'` },
    key: [
      ['memory_id', 'uuid'],
      ['number', 'integer'],
    ],
    stored: {
      before: `r.before || jsonb_build_object('tenant_id', $1::uuid)`,
      after: `r.after || jsonb_build_object('tenant_id', $1::uuid)`,
    },
    parent: { table: 'memories', column: 'memory_id' },
  },
  {
    type: 'document',
    table: 'documents',
    columns:
      'id user_id title content matching_text content_hash characters chunk_count chunking conversation_id project metadata created_at updated_at'.split(
        ' ',
      ),
    key: [['id', 'text']],
    hasCallersIds: true,
  },
  {
    type: 'document_chunk',
    table: 'document_chunks',
    columns: 'id user_id document_id position content matching_text content_hash'.split(' '),
    key: [
      ['document_id', 'text'],
      ['position', 'integer'],
    ],
    stored: { embedding_pending_since: 'case when $3::boolean then now() end' },
    parent: { table: 'documents', column: 'document_id' },
  },
  {
    type: 'summary',
    table: 'summaries',
    columns:
      'id user_id conversation_id content source prompt_version model covers_seq memory_count version updated_at refreshed_by stale_since refresh_at change_no'.split(
        ' ',
      ),
    key: [['id', 'uuid']],
  },
  {
    type: 'summary_version',
    table: 'summary_versions',
    columns:
      'summary_id number content source prompt_version model actor covers_seq memory_count created_at'.split(
        ' ',
      ),
    key: [
      ['summary_id', 'uuid'],
      ['number', 'integer'],
    ],
    ofUser: 't.summary_id in (select id from summaries where tenant_id = $1::uuid and user_id = $2::text)',
    parent: { table: 'summaries', column: 'summary_id' },
  },
  {
    type: 'imported_item',
    table: 'imported_items',
    columns: 'user_id source item_sha256 memory_id imported_at'.split(' '),
    key: [
      ['user_id', 'text'],
      ['source', 'text'],
      ['item_sha256', 'bytea'],
    ],
  },
];
