-- Waits for the right to change the documents of a user, and keeps it until the end of the transaction.
-- tenant, owner: whose.
create or replace function lock_user_documents(tenant uuid, owner text) returns void language sql
begin atomic
  select pg_advisory_xact_lock(hashtextextended('factmill.documents ' || tenant::text || ' ' || owner, 0));
end;
