-- Trigger function: marks the narratives of the users whose memories have a new version. Whatever changes a memory adds
-- a version of it in the same transaction, so that no writer can forget the narrative.
create or replace function mark_narratives_stale() returns trigger language plpgsql as $$
begin
  update summaries s
    set stale_since = coalesce(s.stale_since, now()), refresh_at = summary_due(s), change_no = s.change_no + 1
    from (select distinct tenant_id, user_id from added) as changed
    where s.tenant_id = changed.tenant_id and s.user_id = changed.user_id and s.conversation_id = ''
      and s.refreshed_by is not null;
  return null;
end $$;
