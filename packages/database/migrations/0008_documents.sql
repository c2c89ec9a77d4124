-- Context documents: texts that an application always has at hand, so that what they say need not be remembered.

-- A document belongs to a conversation, to a project, or (neither) to all conversations of its user. matching_text is
-- its text in the form in which texts are searched for one another. chunking says how it was cut.
create table documents (
  tenant_id uuid not null constraint documents_tenant_fkey references tenants (id) on delete cascade,
  id text not null,
  user_id text not null,
  title text,
  content text not null,
  matching_text text not null,
  content_hash bytea not null,
  characters integer not null,
  chunk_count integer not null,
  chunking text not null,
  conversation_id text,
  project text,
  metadata jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint documents_pkey primary key (tenant_id, id),
  constraint documents_conversation_fkey foreign key (tenant_id, conversation_id)
    references conversations (tenant_id, id) on delete cascade,
  constraint documents_attachment_check check (conversation_id is null or project is null)
);
create index documents_user_idx on documents (tenant_id, user_id, created_at desc, id desc);
create index documents_conversation_idx on documents (tenant_id, conversation_id)
  where conversation_id is not null;

-- What an embedding model takes at once. Put together in order, the chunks are the document. matching_text is there
-- for chunks that are short enough to be part of a memory. embedding_leased_until keeps two workers from computing
-- the same vectors.
create table document_chunks (
  id uuid constraint document_chunks_pkey primary key,
  tenant_id uuid not null,
  user_id text not null,
  document_id text not null,
  position integer not null,
  content text not null,
  matching_text text,
  content_hash bytea not null,
  embedding_pending_since timestamptz,
  embedding_leased_until timestamptz,
  constraint document_chunks_position_key unique (tenant_id, document_id, position),
  constraint document_chunks_document_fkey foreign key (tenant_id, document_id)
    references documents (tenant_id, id) on delete cascade
);
create index document_chunks_short_idx on document_chunks (tenant_id, user_id) where matching_text is not null;
create index document_chunks_embedding_pending_idx on document_chunks (embedding_pending_since, id)
  where embedding_pending_since is not null;

-- Always compared one by one inside a user, whose chunks are limited: no HNSW index.
create table document_chunk_embeddings (
  chunk_id uuid not null
    constraint document_chunk_embeddings_chunk_fkey references document_chunks (id) on delete cascade,
  model text not null constraint document_chunk_embeddings_model_fkey references embedding_models (id),
  tenant_id uuid not null,
  user_id text not null,
  embedding halfvec not null,
  created_at timestamptz not null default now(),
  constraint document_chunk_embeddings_pkey primary key (chunk_id, model)
);
create index document_chunk_embeddings_user_idx on document_chunk_embeddings (tenant_id, user_id, model);

-- Waits for, and keeps until the end of the transaction, the right to change this user's documents.
create function lock_user_documents(tenant uuid, owner text) returns void language sql as $$
  select pg_advisory_xact_lock(hashtextextended('factmill.documents ' || tenant::text || ' ' || owner, 0))
$$;
