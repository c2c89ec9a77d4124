-- Trigger function: marks the narratives of the users whose memories have a new version. Whatever changes a memory adds
-- a version of it in the same transaction, so that no writer can forget the narrative.
-- One tenant after the other, so that each statement names its tenant.
create or replace function mark_narratives_stale() returns trigger language plpgsql as $$
declare
  v_tenant uuid;
  v_users text[];
begin
  for v_tenant, v_users in select tenant_id, array_agg(distinct user_id) from added group by tenant_id order by 1 loop
    update summaries s
      set stale_since = coalesce(s.stale_since, now()), refresh_at = summary_due(s), change_no = s.change_no + 1
      where s.tenant_id = v_tenant and s.user_id = any(v_users) and s.conversation_id = ''
        and s.refreshed_by is not null;
  end loop;
  return null;
end $$;
