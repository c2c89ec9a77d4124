-- Substring search over category, key, value and content, which search_text holds. Applied when pg_trgm is
-- available; without it LIKE still works, by reading the user's rows. One index instead of one per column: a
-- write maintains one, and a term is looked up once.
create index memories_search_text_trgm on memories using gin (search_text gin_trgm_ops) where is_current;
