-- Turns (stored messages of users and assistants) are found by their words and by meaning: cut into parts that an
-- embedding model can tell apart, in the background. conversations.indexed_seq says how far a conversation is indexed.

alter table conversations add column indexed_seq integer not null default 0;
create index conversations_unindexed_idx on conversations (last_active_at) where indexed_seq < last_seq;

-- They leave with their message. refused_by: the model that makes no use of the text, so that it is not offered again.
create table turn_parts (
  id uuid not null,
  tenant_id uuid not null,
  user_id text not null,
  conversation_id text not null,
  seq integer not null,
  position integer not null,
  content text not null,
  search_terms tsvector not null generated always as (search_words(content)) stored,
  embedding_pending_since timestamptz,
  embedding_leased_until timestamptz,
  refused_by text,
  constraint turn_parts_pkey primary key (id, tenant_id),
  constraint turn_parts_position_key unique (tenant_id, conversation_id, seq, position),
  constraint turn_parts_message_fkey foreign key (tenant_id, conversation_id, seq)
    references messages (tenant_id, conversation_id, seq) on delete cascade
);
create index turn_parts_embedding_pending_idx on turn_parts (embedding_pending_since, id)
  where embedding_pending_since is not null;
create index turn_parts_user_idx on turn_parts (tenant_id, user_id, id);
create index turn_parts_words_idx on turn_parts using gin (search_keys(tenant_id, user_id, search_terms))
  with (gin_pending_list_limit = 128);

create table turn_part_embeddings (
  part_id uuid not null,
  model text not null constraint turn_part_embeddings_model_fkey references embedding_models (id),
  tenant_id uuid not null,
  user_id text not null,
  embedding halfvec not null,
  code bit varying not null generated always as (binary_quantize(embedding)) stored,
  created_at timestamptz not null default now(),
  constraint turn_part_embeddings_pkey primary key (part_id, model, tenant_id),
  constraint turn_part_embeddings_part_fkey foreign key (part_id, tenant_id)
    references turn_parts (id, tenant_id) on delete cascade
);
-- The latest parts of a user with their bit codes, read from the index alone.
create index turn_part_embeddings_near_idx on turn_part_embeddings (tenant_id, user_id, model, part_id)
  include (code);
