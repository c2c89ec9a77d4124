-- Substring search over category, key, value and content, which search_text holds. Applied when pg_trgm is available;
-- without it LIKE still works, by reading the user's rows. One index instead of one per column: a write maintains one,
-- and a term is looked up once. Databases from before the baseline have it already, if they have pg_trgm.
create index if not exists memories_search_text_trgm on memories using gin (search_text gin_trgm_ops)
  with (gin_pending_list_limit = 256) where is_current;
