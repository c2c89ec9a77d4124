import type { LegalHold } from '@factmill/contracts';
import { AppError } from '@factmill/errors';
import type { Sql } from '../../pool/sql.ts';

type Row = Readonly<{ id: string; userId: string | null; placedAt: Date }>;

const COLUMNS = `id, nullif(user_id, '') as "userId", placed_at as "placedAt"`;

/** A hold on a user, or with null on the whole tenant. Undefined when there is one already. */
export async function insertLegalHold(
  sql: Sql,
  hold: Readonly<{ id: string; tenantId: string; userId: string | null; placedBy: string }>,
): Promise<LegalHold | undefined> {
  const row = await sql.maybeOne<Row>(
    `insert into legal_holds (id, tenant_id, user_id, placed_by) values ($1::uuid, $2::uuid, $3::text, $4::text)
     on conflict (tenant_id, user_id) do nothing returning ${COLUMNS}`,
    [hold.id, hold.tenantId, hold.userId ?? '', hold.placedBy],
  );
  return row === undefined ? undefined : toLegalHold(row);
}

/** The holds of a tenant, newest first. */
export async function listLegalHolds(
  sql: Sql,
  filter: Readonly<{
    tenantId: string;
    before: Readonly<{ position: string; id: string }> | null;
    limit: number;
  }>,
): Promise<(LegalHold & Readonly<{ position: string }>)[]> {
  const { rows } = await sql.query<Row & Readonly<{ position: string }>>(
    `select ${COLUMNS}, to_char(placed_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as position
     from legal_holds
     where tenant_id = $1::uuid and ($2::timestamptz is null or (placed_at, id) < ($2::timestamptz, $3::uuid))
     order by placed_at desc, id desc limit $4::integer`,
    [filter.tenantId, filter.before?.position ?? null, filter.before?.id ?? null, filter.limit],
  );
  return rows.map((row) => ({ ...toLegalHold(row), position: row.position }));
}

/** Lifts a hold; undefined when the tenant has no such one. */
export async function deleteLegalHold(
  sql: Sql,
  tenantId: string,
  id: string,
): Promise<LegalHold | undefined> {
  const row = await sql.maybeOne<Row>(
    `delete from legal_holds where tenant_id = $1::uuid and id = $2::uuid returning ${COLUMNS}`,
    [tenantId, id],
  );
  return row === undefined ? undefined : toLegalHold(row);
}

/** @throws AppError `legal_hold` when something of the user must not be removed */
export async function assertNotHeld(
  sql: Sql,
  { tenantId, userId }: Readonly<{ tenantId: string; userId: string }>,
): Promise<void> {
  const { held } = await sql.one<{ held: boolean }>('select is_held($1::uuid, $2::text) as held', [
    tenantId,
    userId,
  ]);
  if (!held) return;
  throw new AppError(
    'legal_hold',
    'There is a legal hold on this user or on the tenant. Nothing was removed; lift the hold first.',
  );
}

function toLegalHold({ id, userId, placedAt }: Row): LegalHold {
  return { id, user_id: userId, placed_at: placedAt.toISOString() };
}
