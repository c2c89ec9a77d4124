-- apply_new_memories takes vectors as such, in a new last parameter. With both signatures a call would be ambiguous.
drop function if exists apply_new_memories(uuid, integer, jsonb, text, text, uuid[], text[], jsonb, double precision);
