-- Does what follows from an extraction that has just been applied, in its transaction and after its end is written: the
-- oldest entries of the conversation leave, and the summaries that its preset asks for are marked.
-- extraction: the extraction.
-- wanted: { maxEntries: 0 for all, userSummary: 'model' | 'composed' | null, conversationSummary: boolean } | null. The
--   policy of a conversation may say max_entries and summaries itself.
-- tenant: whose extraction; null from processes of the version before.
create or replace function after_apply(extraction uuid, wanted jsonb, tenant uuid default null) returns void
language plpgsql as $$
declare
  v_tenant constant uuid := coalesce(tenant, (select tenant_id from extractions where id = extraction));
  v_row extractions;
  v_policy jsonb;
  v_changed boolean;
  v_keep integer;
begin
  select * into v_row from extractions where id = extraction and tenant_id = v_tenant;
  select policy into v_policy from conversations
    where tenant_id = v_row.tenant_id and id = v_row.conversation_id;
  v_changed := v_row.added + v_row.updated + v_row.deleted > 0;
  v_keep := coalesce((v_policy->>'max_entries')::integer, (wanted->>'maxEntries')::integer, 0);
  if v_keep > 0 then
    perform lock_user_memories(v_row.tenant_id, v_row.user_id);
    perform archive_oldest_entries(
      v_row.tenant_id, v_row.user_id, v_row.conversation_id, v_keep, 'max_entries', extraction);
  end if;
  if v_changed and wanted->>'userSummary' is not null then
    perform ask_for_summary(v_row.tenant_id, v_row.user_id, '', wanted->>'userSummary');
  end if;
  if coalesce((v_policy->>'summaries')::boolean, (wanted->>'conversationSummary')::boolean) then
    perform ask_for_summary(v_row.tenant_id, v_row.user_id, v_row.conversation_id, 'model');
  end if;
end $$;
