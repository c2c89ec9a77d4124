-- What migrations 0018 to 0021 did to a database; the bodies of PL/pgSQL functions are left out.
create or replace function search_spaced(given text) returns text language sql immutable parallel safe
return case when given ~ '[\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]'
  then regexp_replace(given, '([\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff])', ' \1 ', 'g')
  else given end;
create or replace function search_words(given text) returns tsvector language sql immutable parallel safe
return to_tsvector('pg_catalog.english'::regconfig, search_spaced(given));
create or replace function search_query(term text) returns tsquery language sql immutable parallel safe
return phraseto_tsquery('pg_catalog.english'::regconfig, search_spaced(term));
create or replace function new_uuid_v7() returns uuid language sql
return encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing
    substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
  52, 1), 53, 1), 'hex')::uuid;
create or replace function lock_user_memories(tenant uuid, owner text) returns void language sql
begin atomic
  select pg_advisory_xact_lock(hashtextextended('factmill.memories ' || tenant::text || ' ' || owner, 0));
end;
create or replace function lock_user_documents(tenant uuid, owner text) returns void language sql
begin atomic
  select pg_advisory_xact_lock(hashtextextended('factmill.documents ' || tenant::text || ' ' || owner, 0));
end;
create or replace function trigger_of(policy jsonb, preset text, schedule jsonb) returns jsonb language sql immutable
return coalesce(schedule->'presets'->coalesce(preset, policy->>'preset', schedule->>'preset'),
                schedule->'presets'->(schedule->>'preset'), '{}') || (policy - 'preset');
create or replace function accept_conversations(requests jsonb, queue_limit integer, tenant_queue_limit integer)
returns jsonb language sql
return accept_conversations(requests, queue_limit, tenant_queue_limit, '{}');
create or replace function conversation_due(
  tenant uuid, conversation text, after_seq integer, trigger jsonb, schedule jsonb, last_at timestamptz,
  out due_at timestamptz, out due_for text
) language sql stable
begin atomic
  select due.* from (
      select count(*) filter (where role = 'user') as turns, coalesce(sum(token_estimate), 0) as tokens,
             coalesce(max(seq) filter (where role = 'assistant' and content <> '')
                      > max(seq) filter (where role = 'user'), false) as has_reply
        from messages where tenant_id = tenant and conversation_id = conversation and seq > after_seq
          and not superseded) as gathered,
    extraction_due(trigger, schedule, turns, tokens, has_reply, last_at) as due;
end;
create or replace function next_extraction(tenant uuid, conversation text) returns extractions language sql stable
begin atomic
  select e from extractions e
    where e.tenant_id = tenant and e.conversation_id = conversation and e.state in ('pending', 'active')
    order by e.accepted_no limit 1;
end;
create or replace function note_rejections(extraction uuid, reasons jsonb) returns void language sql
begin atomic
  update extractions set rejections = reasons
    where id = extraction and rejections is distinct from reasons and jsonb_typeof(reasons) = 'object';
end;
create or replace function rests_on_replaced(message_ids text[], tenant uuid, conversation text) returns boolean
language sql stable
return cardinality(message_ids) > 0 and not exists (
  select from unnest(message_ids) as source (id) where not exists (
    select from messages s where s.tenant_id = tenant and s.conversation_id = conversation and s.id = source.id
      and s.superseded));
create or replace function matching_memory_ids(
  tenant uuid, owner text, keys text[], content_hashes bytea[], subject_hashes bytea[], conversation text default ''
) returns setof uuid language sql stable
begin atomic
  select id from memories where tenant_id = tenant and user_id = owner
    and scope = case when conversation = '' then 'global' else 'conversation' end
    and conversation_id = conversation and key = any(keys) and is_current
  union
  select id from memories where tenant_id = tenant and user_id = owner
    and scope = case when conversation = '' then 'global' else 'conversation' end
    and conversation_id = conversation and subject_hash = any(subject_hashes) and is_current
  union
  select id from memories where tenant_id = tenant and user_id = owner and conversation_id = conversation
    and content_hash = any(content_hashes) and deleted_at is null;
end;
create or replace function memories_as_of(tenant uuid, owner text, valid_at timestamptz, known_at timestamptz)
returns setof memories language sql stable
begin atomic
  select m from (
    select distinct on (v.memory_id) v.after from memory_versions v
    where v.tenant_id = tenant and (owner is null or v.user_id = owner) and v.created_at <= known_at
    order by v.memory_id, v.number desc
  ) as known
  cross join lateral (select known.after->>'content' || E'\n' || coalesce(known.after->>'key', '') || E'\n' ||
    coalesce(known.after->>'value', '') || E'\n' || (known.after->>'category') as searched) as texts
  cross join lateral jsonb_populate_record(null::memories, known.after || jsonb_build_object(
    'search_text', lower(texts.searched), 'search_terms', search_words(texts.searched)::text)) as m
  where m.deleted_at is null and m.archived_at is null and m.valid_from <= valid_at
    and (m.valid_to is null or m.valid_to > valid_at) and (m.expires_at is null or m.expires_at > valid_at);
end;
create or replace function near_memories(
  tenant uuid, owner text, embedding_model text, vectors text[], max_distance float8, most integer
) returns table (candidate integer, memory_id uuid, distance float8) language sql stable
begin atomic
  select given.place::integer, near.memory_id, near.distance
    from (select place, vector::halfvec as vector from unnest(vectors) with ordinality as v (vector, place)
            where vector is not null offset 0) as given
    cross join lateral (
      select close.memory_id, close.distance
        from (select e.memory_id, (e.embedding <=> given.vector) + 0 as distance from memory_embeddings e
                where e.tenant_id = tenant and e.user_id = owner and e.model = embedding_model
                  and (e.embedding <=> given.vector) + 0 <= max_distance offset 0) as close
        where exists (select from memories m where m.id = close.memory_id and m.is_current
          and m.scope = 'global' and m.conversation_id = '' and (m.expires_at is null or m.expires_at > now()))
        order by close.distance, close.memory_id limit most
    ) as near;
end;
create or replace function summary_due(row_ summaries) returns timestamptz language sql stable
return case when row_.failures > 0 and row_.refresh_at is not null then row_.refresh_at
  else least(now() + interval '2 seconds', coalesce(row_.stale_since, now()) + interval '30 seconds') end;
create or replace function ask_for_summary(tenant uuid, owner text, conversation text, made_by text) returns void
language sql
begin atomic
  insert into summaries as s (tenant_id, user_id, conversation_id, refreshed_by, stale_since, refresh_at)
    values (tenant, owner, conversation, made_by, now(), now() + interval '2 seconds')
    on conflict (tenant_id, user_id, conversation_id) do update
      set refreshed_by = made_by, stale_since = coalesce(s.stale_since, now()), refresh_at = summary_due(s),
          change_no = s.change_no + 1
      -- A narrative that is made by the same is marked already, by the versions of what has changed.
      where conversation <> '' or s.refreshed_by is distinct from made_by;
end;
create or replace function schedule_extractions(batch jsonb)
returns table (place bigint, id uuid, tenant_id uuid, passed_over boolean) language sql
begin atomic
  with wanted as (
    select * from rows from (jsonb_to_recordset(batch) as (
      tenant_id uuid, conversation_id text, user_id text, from_seq integer, to_seq integer, scope text,
      max_turns integer, id uuid, trigger text, preset text, metadata jsonb, traceparent text,
      replaces_from_seq integer)) with ordinality as w (tenant_id, conversation_id, user_id, from_seq, to_seq, scope,
      max_turns, id, trigger, preset, metadata, traceparent, replaces_from_seq, place)
  ), said as (
    select w.place, w.scope, w.max_turns, m.seq, m.role,
           count(*) filter (where m.role = 'user') over (partition by w.place order by m.seq) as turn,
           max(m.seq) filter (where m.role = 'user') over (partition by w.place) as last_user_seq
      from wanted w join messages m on m.tenant_id = w.tenant_id and m.conversation_id = w.conversation_id
        and m.seq between w.from_seq and w.to_seq
  ), numbered as (
    select place, seq, role,
           case when scope = 'ephemeral' then case when seq < last_user_seq then -1 else 0 end
                when max_turns > 0 then greatest(turn - 1, 0) / max_turns else 0 end as part
      from said
  ), parts as (
    select place, part, min(seq) as from_seq, max(seq) as to_seq, max(part) over (partition by place) as last_part,
           min(part) filter (where part >= 0) over (partition by place) as first_part
      from numbered group by place, part having part >= 0 or bool_or(role = 'user')
  ), written as (
    insert into extractions (id, tenant_id, user_id, conversation_id, from_seq, to_seq, trigger, preset, metadata,
                             traceparent, replaces_from_seq, state, reason, finished_at)
    select case when part = last_part then coalesce(w.id, new_uuid_v7()) else new_uuid_v7() end, w.tenant_id,
           w.user_id, w.conversation_id, p.from_seq, p.to_seq, w.trigger, w.preset, coalesce(w.metadata, '{}'),
           w.traceparent, case when part = first_part then w.replaces_from_seq end,
           case when part < 0 then 'skipped' else 'pending' end, case when part < 0 then 'passed_over' end,
           case when part < 0 then clock_timestamp() end
      from parts p join wanted w using (place) order by place, part
    returning id, tenant_id, conversation_id, state, accepted_no
  )
  select w.place, written.id, written.tenant_id, written.state = 'skipped'
    from written join wanted w using (tenant_id, conversation_id) order by written.accepted_no;
end;
create or replace function accept_conversation(r jsonb, schedule jsonb) returns jsonb
language plpgsql as $$ begin end $$;
create function conflicting_messages(r jsonb) returns jsonb language plpgsql as $$ begin end $$;
update api_keys set permissions = permissions || array['chat', 'upstream']
where permissions && array['memory.read', 'memory.write', 'memory.read_all'];
alter table api_keys add column user_locked boolean not null default false;
alter table api_keys add constraint api_keys_lock_check check (not user_locked or (
  user_id is not null and not permissions && array['memory.read_all', 'admin', 'operator']));
insert into factmill_migrations (number, name, checksum) values
  (18, '0018_standard_bodies.sql', 'acd33bf039c5b1030ea904b70c65a57096ac9f13bb5392ae2e5afc9972e4e575'),
  (19, '0019_replies_of_a_turn.sql', 'c7c4a80938a7eefa9d75ec8c43992bb180b6230d5559bd5fe520fcb457aa6bec'),
  (20, '0020_message_conflicts.sql', 'd36a4df4df53397d9ef7f6b983204c5ca73cd133b9b428f1a2ca882413a05b01'),
  (21, '0021_key_permissions.sql', '5f1cd9d85248b9f4cc8362ad24933fe2284296ab6e1ece587409d8e10555f85f');
