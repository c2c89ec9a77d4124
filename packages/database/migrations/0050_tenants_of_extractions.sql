-- Functions that end an extraction take its tenant, in a new last parameter. With both signatures a call would be
-- ambiguous.
drop function if exists after_apply(uuid, jsonb);
drop function if exists apply_new_memories(uuid, integer, jsonb, text, text, uuid[], text[], jsonb, float8, halfvec[]);
drop function if exists conclude_extraction(uuid);
drop function if exists fail_extraction(uuid, integer, text, text);
drop function if exists finish_extraction(uuid, integer, jsonb);
drop function if exists note_extraction_events(uuid[]);
