-- Summaries: one narrative per user, one rolling summary per conversation, and what an apply leaves to be done after it.

-- conversation_id is '' for the user's narrative. refreshed_by: what the text is made by from now on, said by the last
-- extraction that asked for one; null when nothing has, so that a text written by hand stays. stale_since: something
-- has changed that the text does not know. refresh_at: when it is due, which for a fresh text is when the first memory
-- in it expires. change_no counts changes: a refresh that read an older one leaves the row stale. fence counts claims
-- and replacements by hand: only the latest may write. failures drives the delay, attempts counts tries that the
-- provider's absence cannot explain. covers_seq: the last message that is in a conversation's summary.
create table summaries (
  id uuid constraint summaries_pkey primary key default gen_random_uuid(),
  tenant_id uuid not null constraint summaries_tenant_fkey references tenants (id) on delete cascade,
  user_id text not null,
  conversation_id text not null default '',
  of_conversation text generated always as (nullif(conversation_id, '')) stored,
  content text,
  source text,
  prompt_version text,
  model text,
  covers_seq integer not null default 0,
  memory_count integer,
  version integer not null default 0,
  updated_at timestamptz,
  refreshed_by text,
  stale_since timestamptz,
  refresh_at timestamptz,
  change_no bigint not null default 0,
  fence integer not null default 0,
  lease_until timestamptz,
  attempts integer not null default 0,
  failures integer not null default 0,
  error_class text,
  constraint summaries_owner_key unique (tenant_id, user_id, conversation_id),
  -- A summary goes with its conversation, whoever deletes it and whoever is writing it at that moment.
  constraint summaries_conversation_fkey foreign key (tenant_id, of_conversation)
    references conversations (tenant_id, id) on delete cascade,
  constraint summaries_source_check check (source in ('model', 'composed', 'manual')),
  constraint summaries_refreshed_by_check check (refreshed_by in ('model', 'composed'))
);
create index summaries_conversation_idx on summaries (tenant_id, of_conversation) where of_conversation is not null;
create index summaries_refresh_idx on summaries (refresh_at) where refresh_at is not null;

-- The last texts of a summary (at most 20), so that what a reader was shown can be explained.
create table summary_versions (
  summary_id uuid not null
    constraint summary_versions_summary_fkey references summaries (id) on delete cascade,
  number integer not null,
  tenant_id uuid not null,
  content text not null,
  source text not null,
  prompt_version text,
  model text,
  actor text not null,
  covers_seq integer not null,
  memory_count integer,
  created_at timestamptz not null default now(),
  constraint summary_versions_pkey primary key (summary_id, number)
);
create index summary_versions_created_idx on summary_versions (created_at);

-- When a summary that has changed is due: 2 s after its last change, so that a burst of extractions gives one refresh,
-- and at the latest 30 s after the first. One that fails keeps the delay it was given.
create function summary_due(row_ summaries) returns timestamptz language sql stable as $$
  select case when row_.failures > 0 and row_.refresh_at is not null then row_.refresh_at
    else least(now() + interval '2 seconds', coalesce(row_.stale_since, now()) + interval '30 seconds') end
$$;

-- Whatever changes a memory adds a version of it, in the same transaction: so no writer can forget the narrative.
create function mark_narratives_stale() returns trigger language plpgsql as $$
begin
  update summaries s
    set stale_since = coalesce(s.stale_since, now()), refresh_at = summary_due(s), change_no = s.change_no + 1
    from (select distinct tenant_id, user_id from added) as changed
    where s.tenant_id = changed.tenant_id and s.user_id = changed.user_id and s.conversation_id = ''
      and s.refreshed_by is not null;
  return null;
end $$;
create trigger memory_versions_mark_narratives after insert on memory_versions
  referencing new table as added for each statement execute function mark_narratives_stale();

-- Asks for a summary: makes its row, or says anew what it is made by, and marks it as stale.
create function ask_for_summary(tenant uuid, owner text, conversation text, made_by text) returns void
language sql as $$
  insert into summaries as s (tenant_id, user_id, conversation_id, refreshed_by, stale_since, refresh_at)
    values (tenant, owner, conversation, made_by, now(), now() + interval '2 seconds')
    on conflict (tenant_id, user_id, conversation_id) do update
      set refreshed_by = made_by, stale_since = coalesce(s.stale_since, now()), refresh_at = summary_due(s),
          change_no = s.change_no + 1
      -- A narrative that is made by the same is marked already, by the versions of what has changed.
      where conversation <> '' or s.refreshed_by is distinct from made_by
$$;

-- Archives a conversation's current memories beyond the `keep` last stated, with a version each. The caller holds the
-- user's lock. Reads the user's current memories by memories_stated_idx and looks each one's extraction up: as a join,
-- on a database without statistics, it would read all of the conversation's extractions for each memory.
create function archive_oldest_entries(
  tenant uuid, owner text, conversation text, keep integer, changed_by text, extraction uuid
) returns integer language plpgsql as $$
declare
  v_count integer;
begin
  with beyond as (
    select m.id from memories m
      where m.tenant_id = tenant and m.user_id = owner and m.is_current
        and (select e.conversation_id from extractions e where e.id = m.extraction_id) = conversation
      order by m.stated_at desc, m.id desc offset keep
  ), changed as (
    update memories m set archived_at = now(), updated_at = now(), embedding_pending_since = null
      from beyond where m.id = beyond.id and m.is_current returning m.*
  ), versions as (
    insert into memory_versions (memory_id, number, tenant_id, user_id, operation, before, after, actor, extraction_id)
    select changed.id,
           (select coalesce(max(v.number), 0) + 1 from memory_versions v where v.memory_id = changed.id),
           changed.tenant_id, changed.user_id, 'ARCHIVE', to_jsonb(before) - 'search_text',
           to_jsonb(changed) - 'search_text', changed_by, extraction
      from changed join memories before on before.id = changed.id
  )
  select count(*) into v_count from changed;
  return v_count;
end $$;

-- after_apply(extraction, wanted jsonb) -> void
--
-- What follows from an extraction that has just been applied, in its transaction and after its end has been written:
-- the conversation's oldest memories go, and the summaries that its preset asks for are marked.
--   wanted: { maxEntries: 0 for all, userSummary: 'model' | 'composed' | null, conversationSummary: boolean } | null
-- A conversation's policy may say `max_entries` itself.
create function after_apply(extraction uuid, wanted jsonb) returns void language plpgsql as $$
declare
  v_row extractions;
  v_policy jsonb;
  v_changed boolean;
  v_keep integer;
begin
  select * into v_row from extractions where id = extraction;
  select policy into v_policy from conversations
    where tenant_id = v_row.tenant_id and id = v_row.conversation_id;
  v_changed := v_row.added + v_row.updated + v_row.deleted > 0;
  v_keep := coalesce((v_policy->>'max_entries')::integer, (wanted->>'maxEntries')::integer, 0);
  if v_changed and v_keep > 0 then
    perform archive_oldest_entries(
      v_row.tenant_id, v_row.user_id, v_row.conversation_id, v_keep, 'max_entries', extraction);
  end if;
  if v_changed and wanted->>'userSummary' is not null then
    perform ask_for_summary(v_row.tenant_id, v_row.user_id, '', wanted->>'userSummary');
  end if;
  if (wanted->>'conversationSummary')::boolean then
    perform ask_for_summary(v_row.tenant_id, v_row.user_id, v_row.conversation_id, 'model');
  end if;
end $$;
