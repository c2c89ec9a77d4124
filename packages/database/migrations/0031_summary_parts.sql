-- A user's narrative is made from all of their memories. When they do not fit one question, the model sums up parts of
-- them first. hash: of the question about a part, so that only parts that have changed are asked for again.
create table summary_parts (
  summary_id uuid not null,
  hash bytea not null,
  tenant_id uuid not null,
  content text not null,
  created_at timestamptz not null default now(),
  constraint summary_parts_summary_fkey foreign key (tenant_id, summary_id)
    references summaries (tenant_id, id) on delete cascade
);
alter table summary_parts add constraint summary_parts_pkey primary key (summary_id, hash, tenant_id);
