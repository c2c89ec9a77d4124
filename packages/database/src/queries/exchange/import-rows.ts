import { AppError } from '@factmill/errors';
import { sqlStateOf } from '../../pool/database-errors.ts';
import type { Sql } from '../../pool/sql.ts';
import { EXCHANGED_TABLES, type ExchangedTable } from './exchanged-tables.ts';

/** A line of an export with its number in the file, from 1. */
export type ImportedLine = Readonly<{ type: string; line: string; number: number }>;

export type ImportCounts = Readonly<{
  /** Stored, by type. */
  imported: Readonly<Record<string, number>>;
  /** There already, by type: left as they are. */
  known: Readonly<Record<string, number>>;
}>;

type Into = Readonly<{
  tenantId: string;
  /** The only user that lines may be of; null for any. */
  userId: string | null;
  wantsEmbedding: boolean;
}>;

const LINES_AT_ONCE = 200;
const CHARACTERS_AT_ONCE = 4_000_000;

const TABLES: ReadonlyMap<string, ExchangedTable> = new Map(
  EXCHANGED_TABLES.map((table) => [table.type, table]),
);

/**
 * Stores rows of an export under their own ids, as they were. What is there already stays as it is, with all that
 * belongs to it, so that the same file can be imported again. Call it in one transaction for the whole file.
 *
 * @throws AppError `invalid_request` naming lines that cannot be stored, and no text of them; `state_conflict` when an
 *   id belongs to another user, or the user is being erased
 */
export async function importRows(
  tx: Sql,
  lines: AsyncIterable<ImportedLine> | Iterable<ImportedLine>,
  into: Into,
): Promise<ImportCounts> {
  const imported: Record<string, number> = {};
  const known: Record<string, number> = {};
  const locked = new Set<string>();
  let batch: ImportedLine[] = [];
  let characters = 0;

  async function store(): Promise<void> {
    const [first] = batch;
    if (first === undefined) return;
    const { type } = first;
    const table = TABLES.get(type);
    if (table === undefined) throw unusable(first.number, 'type');
    await lockUsers(tx, into, table, batch, locked);
    const stored = await storeBatch(tx, into, table, batch);
    imported[type] = (imported[type] ?? 0) + stored;
    known[type] = (known[type] ?? 0) + batch.length - stored;
    batch = [];
    characters = 0;
  }

  for await (const line of lines) {
    const isFull = batch.length >= LINES_AT_ONCE || characters >= CHARACTERS_AT_ONCE;
    if (isFull || (batch[0] !== undefined && batch[0].type !== line.type)) await store();
    batch.push(line);
    characters += line.line.length;
  }
  await store();
  return { imported: withoutZeros(imported), known: withoutZeros(known) };
}

/** Takes the locks of all users in the lines, as every writer does, and looks whether they may be written. */
async function lockUsers(
  tx: Sql,
  { tenantId, userId }: Into,
  { columns, computed = {} }: ExchangedTable,
  batch: readonly ImportedLine[],
  locked: Set<string>,
): Promise<void> {
  const fields = new Set(['type', ...columns, ...Object.keys(computed)]);
  const users = new Set<string>();
  for (const { line, number } of batch) {
    const row = JSON.parse(line) as Record<string, unknown>;
    const unknown = Object.keys(row).find((name) => !fields.has(name));
    if (unknown !== undefined) throw unusable(number, 'a field that is not known');
    if (!fields.has('user_id')) continue;
    const owner = row['user_id'];
    if (typeof owner !== 'string' || (userId !== null && owner !== userId)) throw unusable(number, 'user_id');
    if (!locked.has(owner)) users.add(owner);
  }
  for (const owner of [...users].sort()) {
    locked.add(owner);
    await tx.query('select lock_user_documents($1::uuid, $2::text)', [tenantId, owner]);
    await tx.query('select lock_user_memories($1::uuid, $2::text)', [tenantId, owner]);
    const erasing = await tx.maybeOne(
      'select from erasures where tenant_id = $1::uuid and user_id = $2::text and finished_at is null',
      [tenantId, owner],
    );
    if (erasing !== undefined) {
      throw new AppError('state_conflict', 'The user is being erased. Import when the receipt says done.');
    }
  }
}

async function storeBatch(
  tx: Sql,
  { tenantId, wantsEmbedding }: Into,
  table: ExchangedTable,
  batch: readonly ImportedLine[],
): Promise<number> {
  const lines = `[${batch.map(({ line }) => line).join(',')}]`;
  try {
    const { rowCount } = await tx.query(insertInto(table), [tenantId, lines, wantsEmbedding]);
    if (table.hasCallersIds === true && rowCount < batch.length)
      await assertSameUsers(tx, tenantId, table, lines);
    return rowCount;
  } catch (error) {
    // Class 22: a value that its column cannot hold. Class 23: one that a constraint does not allow.
    if (!/^2[23]/.test(sqlStateOf(error) ?? '')) throw error;
    const [first, last] = [batch[0]?.number ?? 0, batch.at(-1)?.number ?? 0];
    throw new AppError(
      'invalid_request',
      `The lines ${first} to ${last} cannot be stored: a value in them is not as an export has it. Nothing was imported.`,
    );
  }
}

/**
 * Inserts the rows of $2, a JSON array, where they are not there yet. Rows of a parent only together with it: that was
 * stored by this transaction, as its xmin says.
 */
function insertInto({ table, columns, stored = {}, parent }: ExchangedTable): string {
  const names = [...new Set([...columns, ...Object.keys(stored)])];
  const values = names.map((name) => stored[name] ?? `r.${name}`);
  const joined =
    parent === undefined
      ? ''
      : `join ${parent.table} parent on parent.tenant_id = $1::uuid and parent.id = r.${parent.column}
         and parent.xmin = pg_current_xact_id()::xid`;
  return `insert into ${table} (tenant_id, ${names.join(', ')})
    select $1::uuid, ${values.join(', ')}
    from jsonb_array_elements($2::jsonb) with ordinality as given (line, place)
    cross join lateral jsonb_populate_record(null::${table}, line) r
    ${joined}
    where $3::boolean is not null
    order by place
    on conflict do nothing`;
}

async function assertSameUsers(
  tx: Sql,
  tenantId: string,
  { table }: ExchangedTable,
  lines: string,
): Promise<void> {
  const { others } = await tx.one<{ others: number }>(
    `select count(*)::integer as others from jsonb_array_elements($2::jsonb) as given (line)
     join ${table} t on t.tenant_id = $1::uuid and t.id = line->>'id'
     where t.user_id <> line->>'user_id'`,
    [tenantId, lines],
  );
  if (others === 0) return;
  throw new AppError(
    'state_conflict',
    `${others} of the ${table} in the file belong to another user here. Nothing was imported.`,
  );
}

function unusable(number: number, what: string): AppError {
  return new AppError(
    'invalid_request',
    `Line ${number} cannot be imported: see ${what}. Nothing was imported.`,
  );
}

function withoutZeros(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}
