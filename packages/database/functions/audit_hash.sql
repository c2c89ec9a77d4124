-- The hash of an audit record: SHA-256 of the hash before it, then the record's columns as a JSON array, as Postgres
-- writes jsonb.
-- r: the record. Result: 32 bytes.
create or replace function audit_hash(r audit_records) returns bytea language sql stable
return sha256(r.prev_hash || convert_to(jsonb_build_array(
  r.tenant_id, r.number, to_char(r.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), r.actor, r.action,
  r.target_kind, r.target_id, r.user_pseudonym, r.outcome, r.request_id, r.reason, r.fields, r.counts)::text, 'UTF8'));
