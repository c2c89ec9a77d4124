-- Whether the current statement may learn of rows of a tenant: one of factmill_app only of its own tenant. For functions
-- that run as the owner of the tables, where no policy decides it. SET ROLE shows through them, current_user does not.
create or replace function serves_tenant(tenant uuid) returns boolean language sql stable
return current_setting('role') <> 'factmill_app'
  or tenant = nullif(current_setting('factmill.tenant_id', true), '')::uuid;
