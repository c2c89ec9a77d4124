import type { AuditRecord, AuditVerification } from '@factmill/contracts';
import type { Sql } from '../../pool/sql.ts';

/** Records that one statement verifies. */
const VERIFIED_AT_ONCE = 5_000;

export type AuditFilter = Readonly<{
  tenantId: string;
  action: string | null;
  actor: string | null;
  userId: string | null;
  since: string | null;
  until: string | null;
  /** Only records before this one. */
  before: number | null;
  limit: number;
}>;

/** Records of a tenant, newest first. Uses audit_records_pkey, or audit_records_user_idx for a user. */
export async function listAudit(sql: Sql, filter: AuditFilter): Promise<AuditRecord[]> {
  const { rows } = await sql.query<Omit<AuditRecord, 'at'> & Readonly<{ at: Date }>>(
    `select number, at, actor, action, target_kind, target_id, user_pseudonym, outcome, request_id, reason, fields,
       counts, encode(prev_hash, 'hex') as prev_hash, encode(hash, 'hex') as hash
     from audit_records
     where tenant_id = $1::uuid and ($2::text is null or action = $2::text)
       and ($3::text is null or actor = $3::text)
       and ($4::text is null or user_pseudonym = (select audit_pseudonym($1::uuid, $4::text)))
       and ($5::timestamptz is null or at >= $5::timestamptz) and ($6::timestamptz is null or at < $6::timestamptz)
       and ($7::bigint is null or number < $7::bigint)
     order by number desc limit $8::integer`,
    [
      filter.tenantId,
      filter.action,
      filter.actor,
      filter.userId,
      filter.since,
      filter.until,
      filter.before,
      filter.limit,
    ],
  );
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
}

type Place = Readonly<{ number: number; hash: string }>;
type Chain = Readonly<{ last: Place; cut: Place; isCutSaid: boolean }>;
type Checked = Readonly<{
  records: number;
  last: Place | null;
  problem: AuditVerification['problem'];
}>;

/**
 * Goes through the audit of a tenant from its first record to its last, and looks for the first that was changed,
 * removed or moved: by the hashes, and by the end that the chain is known to have. `known`: a record that was seen
 * earlier, which has to be there as it was, unless retention has removed it.
 *
 * Run it in a repeatable-read transaction: what is appended meanwhile would look like an end that is not known.
 */
export async function verifyAudit(
  tx: Sql,
  tenantId: string,
  known: Place | null,
): Promise<AuditVerification> {
  const chain = await findChain(tx, tenantId);
  const { cut } = chain;
  let records = 0;
  let last = cut;
  const result = (problem: AuditVerification['problem']): AuditVerification => ({
    intact: problem === null,
    records,
    first_number: records === 0 ? null : cut.number + 1,
    last: { number: last.number, hash: last.hash },
    problem,
  });
  // The record that says what retention removed is itself in the chain.
  if (!chain.isCutSaid) return result({ number: cut.number, kind: 'removed' });
  for (;;) {
    const checked = await verifyAfter(tx, tenantId, last);
    if (checked.problem !== null) return result(checked.problem);
    if (checked.last === null) break;
    records += checked.records;
    last = checked.last;
  }
  if (last.number !== chain.last.number) return result({ number: last.number + 1, kind: 'removed' });
  if (last.hash !== chain.last.hash) return result({ number: last.number, kind: 'changed' });
  if (known !== null && known.number > cut.number && !(await hasRecord(tx, tenantId, known))) {
    return result({ number: known.number, kind: 'changed' });
  }
  return result(null);
}

async function findChain(tx: Sql, tenantId: string): Promise<Chain> {
  const zero = '0'.repeat(64);
  const row = await tx.maybeOne<{ last: Place; cut: Place; isCutSaid: boolean }>(
    `select jsonb_build_object('number', last_number, 'hash', encode(last_hash, 'hex')) as last,
       jsonb_build_object('number', cut_number, 'hash', encode(cut_hash, 'hex')) as cut,
       cut_number = 0 or exists (select from audit_records r
         where r.tenant_id = c.tenant_id and r.number > c.cut_number and r.action = 'audit.cut'
           and r.target_id = encode(c.cut_hash, 'hex') and r.counts->'through' = to_jsonb(c.cut_number))
         as "isCutSaid"
     from audit_chains c where tenant_id = $1::uuid`,
    [tenantId],
  );
  // Without a chain there can be no records.
  return row ?? { last: { number: 0, hash: zero }, cut: { number: 0, hash: zero }, isCutSaid: true };
}

function verifyAfter(tx: Sql, tenantId: string, after: Place): Promise<Checked> {
  return tx.one<Checked>(
    `with page as (
       select r.number, r.hash, r.prev_hash, audit_hash(r) as computed,
         lag(r.number, 1, $2::bigint) over by_number as number_before,
         lag(r.hash, 1, decode($3::text, 'hex')) over by_number as hash_before
       from (select * from audit_records where tenant_id = $1::uuid and number > $2::bigint
             order by number limit $4::integer) r
       window by_number as (order by r.number)
     ), problems as (
       select number_before + 1 as number, 'removed' as kind from page where number <> number_before + 1
       union all
       select number, 'changed' from page where hash <> computed or prev_hash <> hash_before
     )
     select (select count(*) from page)::integer as records,
       (select jsonb_build_object('number', number, 'hash', encode(hash, 'hex'))
        from page order by number desc limit 1) as last,
       (select jsonb_build_object('number', number, 'kind', kind) from problems order by number, kind desc limit 1)
         as problem`,
    [tenantId, after.number, after.hash, VERIFIED_AT_ONCE],
  );
}

async function hasRecord(tx: Sql, tenantId: string, { number, hash }: Place): Promise<boolean> {
  const row = await tx.maybeOne(
    `select from audit_records where tenant_id = $1::uuid and number = $2::bigint and hash = decode($3::text, 'hex')`,
    [tenantId, number, hash],
  );
  return row !== undefined;
}
