-- Writes extractions for ranges of messages, in one statement for all. The caller holds the rows of the conversations
-- and moves scheduled_seq.
-- batch: [{ tenant_id, conversation_id, user_id, from_seq, to_seq, scope, max_turns, id | null, trigger, preset,
--   metadata, traceparent, replaces_from_seq }]
--   A range with more than max_turns user messages (0: no limit) is cut into consecutive ones, each from a user message
--   on, with what follows it; the last has the given id. Of an ephemeral range only the last user message and what
--   follows it is extracted; what the user said before is written as skipped, to be found and replayed.
-- Result: place (in the batch, from 1), id, tenant_id, passed_over (written as skipped).
-- requires: new_uuid_v7
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
      from wanted w cross join lateral (
        select m.seq, m.role from messages m where m.tenant_id = w.tenant_id and m.conversation_id = w.conversation_id
          and m.seq between w.from_seq and w.to_seq offset 0) as m
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
