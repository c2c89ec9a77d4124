-- Appends a record to the audit of a tenant, in the transaction of what it is about. The tenant's chain is locked until
-- the end of that transaction, so call this last in it.
-- tenant: whose. entry: { actor, action, target_kind?, target_id?, user_id?, outcome?, request_id?, reason?, fields?,
--   counts? }; user_id and the ids of users and conversations are kept as pseudonyms.
-- Result: the record's number.
create or replace function append_audit(tenant uuid, entry jsonb) returns bigint language plpgsql as $$
declare
  v_chain audit_chains;
  v_record audit_records;
begin
  insert into audit_chains (tenant_id, secret)
    values (tenant, uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
    on conflict (tenant_id) do nothing;
  select * into v_chain from audit_chains where tenant_id = tenant for update;
  v_record.tenant_id := tenant;
  v_record.number := v_chain.last_number + 1;
  v_record.at := clock_timestamp();
  v_record.actor := entry->>'actor';
  v_record.action := entry->>'action';
  v_record.target_kind := entry->>'target_kind';
  v_record.target_id := case when entry->>'target_kind' in ('user', 'conversation')
    then audit_pseudonym(tenant, entry->>'target_id') else entry->>'target_id' end;
  v_record.user_pseudonym := audit_pseudonym(tenant, entry->>'user_id');
  v_record.outcome := coalesce(entry->>'outcome', 'done');
  v_record.request_id := entry->>'request_id';
  v_record.reason := entry->>'reason';
  v_record.fields := array(select jsonb_array_elements_text(entry->'fields'));
  v_record.counts := coalesce(entry->'counts', '{}');
  v_record.prev_hash := v_chain.last_hash;
  v_record.hash := audit_hash(v_record);
  insert into audit_records select (v_record).*;
  update audit_chains set last_number = v_record.number, last_hash = v_record.hash where tenant_id = tenant;
  return v_record.number;
end $$;
