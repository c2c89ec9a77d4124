-- What a preset says of chats: an API key can have a preset, and turns count among what a conversation keeps.

alter table api_keys add column preset text;

-- Turns up to this one have left the conversation: they stay stored and are not found any more.
alter table conversations add column evicted_seq integer not null default 0;

-- near_vectors has a new parameter: the conversation that the memories are kept for. The other one is made of it.
drop function if exists near_memories(uuid, text, text, text[], float8, integer);
drop function if exists near_vectors(uuid, text, text, halfvec[], float8, integer);
