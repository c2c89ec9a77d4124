-- Refuses to change or remove audit records.
create or replace trigger audit_records_keep before update or delete on audit_records
  for each row execute function keep_audit_records();
