-- Keeps the rows of tenants apart in every table with a tenant_id, and lets the roles of the services use the tables:
-- factmill_app serves one tenant, factmill_system does the work of no single tenant. Changes only what is missing, and
-- is called with every migration, so a new table needs nothing of its own.
-- Result: whether the roles are there. A caller that may not create them leaves that to an administrator.
-- Roles belong to the server and not to the database. The policies name none that a server has to have, so that a dump
-- can be restored anywhere. Owners of tables are exempt, because they migrate and dump.
create or replace function apply_row_security() returns boolean language plpgsql as $$
declare
  v_roles constant text[] := array['factmill_app', 'factmill_system'];
  v_role text;
  v_table regclass;
  v_is_record boolean;
  v_function regprocedure;
begin
  foreach v_role in array v_roles loop
    -- The migrations of other databases of the server may do the same at the same time.
    begin
      if not exists (select from pg_roles where rolname = v_role) then
        execute format('create role %I nologin', v_role);
      end if;
    exception when duplicate_object or unique_violation or insufficient_privilege then
      null;
    end;
  end loop;

  for v_table in
    select c.oid from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not (c.relrowsecurity
        and exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'of_tenant'))
      order by c.relname
  loop
    execute format('alter table %s enable row level security', v_table);
    execute format('drop policy if exists of_tenant on %s', v_table);
    -- Sub-selects are computed once for a statement, not for every row. A setting that was reset reads as '', and
    -- without a tenant no row fits.
    execute format('create policy of_tenant on %s using (
        tenant_id = (select nullif(current_setting(''factmill.tenant_id'', true), '''')::uuid)
        or (select current_user = ''factmill_system''))', v_table);
  end loop;

  for v_role in select rolname from pg_roles where rolname = any(v_roles) loop
    -- The tables that record the schema are read only.
    for v_table, v_is_record in
      select c.oid, is_record from pg_class c cross join lateral (
          select c.relname in ('factmill_migrations', 'factmill_functions') as is_record) as kind
        where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
          and pg_has_role(c.relowner, 'usage')
          and not has_table_privilege(v_role, c.oid, case when is_record then 'select' else 'insert' end)
    loop
      execute format('grant %s on %s to %I',
        case when v_is_record then 'select' else 'select, insert, update, delete' end, v_table, v_role);
    end loop;
  end loop;

  -- Functions that run as the owner of the tables are for the services only.
  for v_function in
    select oid::regprocedure from pg_proc
      where pronamespace = current_schema()::regnamespace and prosecdef and pg_has_role(proowner, 'usage')
        and 'function ' || proname in (select name from factmill_functions)
  loop
    if exists (select from pg_proc cross join lateral aclexplode(coalesce(proacl, acldefault('f', proowner))) as a
        where oid = v_function and a.grantee = 0) then
      execute format('revoke execute on function %s from public', v_function);
    end if;
    for v_role in select rolname from pg_roles
      where rolname = any(v_roles) and not has_function_privilege(rolname, v_function, 'execute')
    loop
      execute format('grant execute on function %s to %I', v_function, v_role);
    end loop;
  end loop;

  return (select count(*) = 2 from pg_roles where rolname = any(v_roles));
end $$;
