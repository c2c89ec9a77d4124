-- How a user, or a conversation, appears in a tenant's audit.
-- tenant: whose secret. name: the id. Result: hex; null when the tenant has no audit yet.
-- requires: hmac_sha256
create or replace function audit_pseudonym(tenant uuid, name text) returns text language sql stable
return (
  select encode(hmac_sha256(c.secret, convert_to(name, 'UTF8')), 'hex') from audit_chains c
  where c.tenant_id = tenant);
