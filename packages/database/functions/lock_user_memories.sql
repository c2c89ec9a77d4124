-- Waits for the right to change the memories of a user, and keeps it until the end of the transaction.
-- tenant, owner: whose.
create or replace function lock_user_memories(tenant uuid, owner text) returns void language sql
begin atomic
  select pg_advisory_xact_lock(hashtextextended('factmill.memories ' || tenant::text || ' ' || owner, 0));
end;
