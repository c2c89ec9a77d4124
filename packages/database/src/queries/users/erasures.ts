import type { Database, Sql } from '../../pool/sql.ts';
import { appendAudit } from '../audit/append-audit.ts';
import { assertNotHeld } from '../retention/legal-holds.ts';
import { lockUserMemories } from '../memories/memory-writes.ts';
import { ERASED, HAS_ANYTHING } from './erased-rows.ts';

export type Erasure = Readonly<{
  id: string;
  /** Hex of SHA-256 of the id, a space, and the user's id. */
  userSha256: string;
  requestedAt: Date;
  /** Null while something of the user is left. */
  finishedAt: Date | null;
  /** Deleted rows by table. */
  counts: Readonly<Record<string, number>>;
}>;

export type OpenErasure = Readonly<{ id: string; tenantId: string; userId: string }>;

const COLUMNS = `id, encode(user_sha256, 'hex') as "userSha256", requested_at as "requestedAt",
  finished_at as "finishedAt", counts`;

/**
 * Begins the erasure of a user. The one that is open is returned as it is. Undefined, and nothing begun, when there is
 * nothing of the user.
 *
 * @throws AppError `legal_hold`
 */
export async function requestErasure(
  sql: Sql,
  request: Readonly<{ id: string; tenantId: string; userId: string; requestedBy: string }>,
): Promise<Erasure | undefined> {
  await assertNotHeld(sql, request);
  const user = [request.tenantId, request.userId];
  const made = await sql.maybeOne<Erasure>(
    `insert into erasures (id, tenant_id, user_id, user_sha256, requested_by)
     select $3::uuid, $1::uuid, $2::text, sha256(convert_to($3::uuid || ' ' || $2::text, 'UTF8')), $4::text
     where ${HAS_ANYTHING}
     on conflict (tenant_id, user_id) where finished_at is null do nothing
     returning ${COLUMNS}`,
    [...user, request.id, request.requestedBy],
  );
  if (made !== undefined) return made;
  return sql.maybeOne<Erasure>(
    `select ${COLUMNS} from erasures where tenant_id = $1::uuid and user_id = $2::text and finished_at is null`,
    user,
  );
}

/** Whether there is anything of a user that an erasure would delete. */
export async function hasAnything(
  sql: Sql,
  { tenantId, userId }: Readonly<{ tenantId: string; userId: string }>,
): Promise<boolean> {
  const { found } = await sql.one<{ found: boolean }>(`select ${HAS_ANYTHING} as found`, [tenantId, userId]);
  return found;
}

export function findErasure(sql: Sql, tenantId: string, id: string): Promise<Erasure | undefined> {
  return sql.maybeOne<Erasure>(
    `select ${COLUMNS} from erasures where tenant_id = $1::uuid and id = $2::uuid`,
    [tenantId, id],
  );
}

/**
 * Up to `limit` erasures that are not finished, oldest first, without those that wait for the end of a legal hold. Uses
 * erasures_open_key.
 */
export async function listOpenErasures(sql: Sql, limit: number): Promise<OpenErasure[]> {
  const { rows } = await sql.query<OpenErasure>(
    `select id, tenant_id as "tenantId", user_id as "userId" from erasures
     where finished_at is null and not is_held(tenant_id, user_id) order by requested_at limit $1::integer`,
    [limit],
    { name: 'list_open_erasures' },
  );
  return rows;
}

/** One that is open and not held, or undefined. */
export function findOpenErasure(sql: Sql, tenantId: string, id: string): Promise<OpenErasure | undefined> {
  return sql.maybeOne<OpenErasure>(
    `select id, tenant_id as "tenantId", user_id as "userId" from erasures
     where tenant_id = $1::uuid and id = $2::uuid and finished_at is null and not is_held(tenant_id, user_id)`,
    [tenantId, id],
  );
}

/**
 * Deletes up to `limit` rows of a user from the first table that has some, and counts them in the receipt in the same
 * transaction. Resolves to their number; 0 when nothing is left, or the erasure is finished: a late worker leaves alone
 * what the user says after it.
 */
export function eraseSome(database: Database, erasure: OpenErasure, limit: number): Promise<number> {
  const { id, tenantId, userId } = erasure;
  return database.transaction(async (tx) => {
    // One worker at a time.
    const open = await tx.maybeOne(
      `select from erasures where tenant_id = $1::uuid and id = $2::uuid and finished_at is null
         and not is_held(tenant_id, user_id) for update`,
      [tenantId, id],
    );
    if (open === undefined) return 0;
    for (const [name, rows] of ERASED) {
      const { rowCount } = await tx.query(rows, [tenantId, userId, limit]);
      if (rowCount === 0) continue;
      await tx.query(
        `update erasures set counts = jsonb_set(counts, array[$3::text],
           to_jsonb(coalesce((counts->>$3::text)::bigint, 0) + $4::integer))
         where tenant_id = $1::uuid and id = $2::uuid`,
        [tenantId, id, name, rowCount],
      );
      // The rows of the next table would take what is left of this one with them, uncounted and at once.
      return rowCount;
    }
    return 0;
  });
}

/**
 * Ends an erasure, if nothing of the user is left: under the locks that all writers of memories and documents take, so
 * that none of them is between reading and writing. An event says so, without the user's name. Resolves to false when
 * something is left.
 */
export function finishErasure(database: Database, erasure: OpenErasure): Promise<boolean> {
  const { tenantId, userId } = erasure;
  return database.transaction(async (tx) => {
    await lockUserMemories(tx, tenantId, userId);
    await tx.query('select lock_user_documents($1::uuid, $2::text)', [tenantId, userId]);
    // How far a search for users got names the last one; it then looks at that tenant again.
    await tx.query(
      `update compression_periods set after_user = '' where after_tenant = $1::uuid and after_user = $2::text`,
      [tenantId, userId],
    );
    const ended = await tx.maybeOne<{ counts: Record<string, number> }>(
      `update erasures set finished_at = now(), finished_xid = pg_current_xact_id(), user_id = null
       where tenant_id = $1::uuid and id = $3::uuid and finished_at is null and not ${HAS_ANYTHING}
       returning counts`,
      [tenantId, userId, erasure.id],
    );
    if (ended === undefined) return false;
    await tx.query(
      `insert into events (tenant_id, watermark, type, data)
       select tenant_id, event_watermark(), 'user.erased',
         jsonb_build_object('erasure_id', id, 'user_sha256', encode(user_sha256, 'hex'))
       from erasures where tenant_id = $1::uuid and id = $2::uuid`,
      [tenantId, erasure.id],
    );
    await appendAudit(tx, {
      tenantId,
      actor: 'system',
      requestId: null,
      action: 'user.erased',
      target: { kind: 'erasure', id: erasure.id },
      userId,
      counts: ended.counts,
    });
    return true;
  });
}
