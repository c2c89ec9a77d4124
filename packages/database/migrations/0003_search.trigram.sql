-- Substring search. Applied when pg_trgm is available; without it ILIKE still works, by scanning the user's rows.
create index memories_category_trgm on memories using gin (category gin_trgm_ops) where is_current;
create index memories_key_trgm on memories using gin (key gin_trgm_ops) where is_current;
create index memories_value_trgm on memories using gin (value gin_trgm_ops) where is_current;
create index memories_content_trgm on memories using gin (content gin_trgm_ops) where is_current;
