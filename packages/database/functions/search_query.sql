-- Makes a full-text query that finds a word, or the characters of a Chinese, Japanese or Korean run one after the
-- other.
-- term: the word or run. Result: the query; empty for a function word.
create or replace function search_query(term text) returns tsquery language sql immutable parallel safe
return phraseto_tsquery('pg_catalog.english'::regconfig, search_spaced(term));
