-- Makes a UUID of version 7: the time in milliseconds, then random bits. Result: the id.
create or replace function new_uuid_v7() returns uuid language sql
return encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing
    substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
  52, 1), 53, 1), 'hex')::uuid;
