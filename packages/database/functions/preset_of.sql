-- Finds the preset of a user where neither a request nor a conversation has one: that of the user, else of the tenant;
-- null for that of the deployment.
-- tenant, owner: whose.
create or replace function preset_of(tenant uuid, owner text) returns text language sql stable
return coalesce((select u.preset from users u where u.tenant_id = tenant and u.user_id = owner),
                (select t.default_preset from tenants t where t.id = tenant));
