-- Whether something of a user must not be removed now.
-- tenant, owner: whose; with '' only a hold on the whole tenant counts.
create or replace function is_held(tenant uuid, owner text) returns boolean language sql stable
return exists (
  select from legal_holds h where h.tenant_id = tenant and h.user_id in ('', owner));
