-- The functions that columns are computed with get bodies that Postgres parses when it creates them, as migration 18
-- gave them to all. What they do is as before.

create or replace function search_spaced(given text) returns text language sql immutable parallel safe
return case when given ~ '[\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]'
  then regexp_replace(given, '([\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff])', ' \1 ', 'g')
  else given end;

create or replace function search_words(given text) returns tsvector language sql immutable parallel safe
return to_tsvector('pg_catalog.english'::regconfig, search_spaced(given));
