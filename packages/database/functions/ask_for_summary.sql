-- Asks for a summary: makes its row, or says anew what it is made by, and marks it as stale.
-- tenant, owner: whose. conversation: of which conversation; '' for the user's narrative. made_by: 'model' |
-- 'composed'.
-- requires: summary_due
create or replace function ask_for_summary(tenant uuid, owner text, conversation text, made_by text) returns void
language sql
begin atomic
  insert into summaries as s (tenant_id, user_id, conversation_id, refreshed_by, stale_since, refresh_at)
    select tenant, owner, conversation, made_by, now(), now() + interval '2 seconds'
      -- A narrative that is made by the same is marked already, by the versions of what has changed.
      where conversation <> '' or not exists (
        select from summaries as known where known.tenant_id = tenant and known.user_id = owner
          and known.conversation_id = '' and known.refreshed_by = made_by)
    on conflict (tenant_id, user_id, conversation_id) do update
      set refreshed_by = made_by, stale_since = coalesce(s.stale_since, now()), refresh_at = summary_due(s),
          change_no = s.change_no + 1
      where conversation <> '' or s.refreshed_by is distinct from made_by;
end;
