-- The tenant becomes part of every key of tenant data: moving a tenant, partitions and logical replication need it.
-- It comes last in keys that begin with an id, so that what knows only the id finds its row as before.

alter table compression_answers add column tenant_id uuid;
update compression_answers a set tenant_id = r.tenant_id from compression_runs r where r.id = a.run_id;
alter table compression_answers alter column tenant_id set not null;
alter table embedding_refusals add column tenant_id uuid;
update embedding_refusals f set tenant_id = m.tenant_id from memories m where m.id = f.memory_id;
update embedding_refusals f set tenant_id = c.tenant_id from document_chunks c where c.id = f.chunk_id;
alter table embedding_refusals alter column tenant_id set not null;
-- It has no primary key, as each row is of a memory or of a chunk; replication needs to know its rows all the same.
alter table embedding_refusals replica identity full;

-- What refers to the keys goes first, and comes back with the tenant.
alter table extraction_outputs drop constraint extraction_outputs_extraction_fkey;
alter table memory_embeddings drop constraint memory_embeddings_memory_fkey;
alter table document_chunk_embeddings drop constraint document_chunk_embeddings_chunk_fkey;
alter table embedding_refusals drop constraint embedding_refusals_memory_fkey;
alter table embedding_refusals drop constraint embedding_refusals_chunk_fkey;
alter table summary_versions drop constraint summary_versions_summary_fkey;
alter table compression_answers drop constraint compression_answers_run_fkey;

-- The key of documents stays as it is and is made again: of indexes that look equal, the planner takes the last one.
alter table document_chunks drop constraint document_chunks_document_fkey;
alter table documents drop constraint documents_pkey,
  add constraint documents_pkey primary key (tenant_id, id);

-- A key is looked up before its tenant is known, so its id stays unique by itself.
alter table api_keys add constraint api_keys_id_key unique (id);
alter table api_keys drop constraint api_keys_pkey,
  add constraint api_keys_pkey primary key (id, tenant_id);
alter table extractions drop constraint extractions_pkey,
  add constraint extractions_pkey primary key (id, tenant_id);
alter table extraction_outputs drop constraint extraction_outputs_pkey,
  add constraint extraction_outputs_pkey primary key (extraction_id, number, tenant_id);
alter table memories drop constraint memories_pkey,
  add constraint memories_pkey primary key (id, tenant_id);
alter table memory_versions drop constraint memory_versions_pkey,
  add constraint memory_versions_pkey primary key (memory_id, number, tenant_id);
alter table memory_embeddings drop constraint memory_embeddings_pkey,
  add constraint memory_embeddings_pkey primary key (memory_id, model, tenant_id);
alter table document_chunks drop constraint document_chunks_pkey,
  add constraint document_chunks_pkey primary key (id, tenant_id);
alter table document_chunk_embeddings drop constraint document_chunk_embeddings_pkey,
  add constraint document_chunk_embeddings_pkey primary key (chunk_id, model, tenant_id);
alter table summaries drop constraint summaries_pkey,
  add constraint summaries_pkey primary key (id, tenant_id);
alter table summary_versions drop constraint summary_versions_pkey,
  add constraint summary_versions_pkey primary key (summary_id, number, tenant_id);
alter table compression_runs drop constraint compression_runs_pkey,
  add constraint compression_runs_pkey primary key (id, tenant_id);
alter table compression_answers drop constraint compression_answers_pkey,
  add constraint compression_answers_pkey primary key (run_id, step, number, tenant_id);

drop index extraction_outputs_pinned_key;
create unique index extraction_outputs_pinned_key on extraction_outputs (extraction_id, purpose, tenant_id)
  where status = 'pinned';
drop index embedding_refusals_memory_key;
create unique index embedding_refusals_memory_key on embedding_refusals (memory_id, model, tenant_id)
  where memory_id is not null;
drop index embedding_refusals_chunk_key;
create unique index embedding_refusals_chunk_key on embedding_refusals (chunk_id, model, tenant_id)
  where chunk_id is not null;
drop index compression_answers_pinned_key;
create unique index compression_answers_pinned_key on compression_answers (run_id, step, tenant_id)
  where status = 'pinned';

alter table extraction_outputs add constraint extraction_outputs_extraction_fkey
  foreign key (tenant_id, extraction_id) references extractions (tenant_id, id) on delete cascade;
alter table memory_embeddings add constraint memory_embeddings_memory_fkey
  foreign key (tenant_id, memory_id) references memories (tenant_id, id) on delete cascade;
alter table document_chunks add constraint document_chunks_document_fkey
  foreign key (tenant_id, document_id) references documents (tenant_id, id) on delete cascade;
alter table document_chunk_embeddings add constraint document_chunk_embeddings_chunk_fkey
  foreign key (tenant_id, chunk_id) references document_chunks (tenant_id, id) on delete cascade;
alter table embedding_refusals add constraint embedding_refusals_memory_fkey
  foreign key (tenant_id, memory_id) references memories (tenant_id, id) on delete cascade;
alter table embedding_refusals add constraint embedding_refusals_chunk_fkey
  foreign key (tenant_id, chunk_id) references document_chunks (tenant_id, id) on delete cascade;
alter table summary_versions add constraint summary_versions_summary_fkey
  foreign key (tenant_id, summary_id) references summaries (tenant_id, id) on delete cascade;
alter table compression_answers add constraint compression_answers_run_fkey
  foreign key (tenant_id, run_id) references compression_runs (tenant_id, id) on delete cascade;
