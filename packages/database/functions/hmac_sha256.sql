-- HMAC-SHA256 (RFC 2104), so that no extension is needed for it.
-- secret: at most 64 bytes. message: any. Result: 32 bytes.
create or replace function hmac_sha256(secret bytea, message bytea) returns bytea
language sql immutable parallel safe
return (
  select sha256(string_agg(set_byte('\x00'::bytea, 0, get_byte(padded.block, place) # 92), ''::bytea order by place)
    || sha256(string_agg(set_byte('\x00'::bytea, 0, get_byte(padded.block, place) # 54), ''::bytea order by place)
      || message))
  from (select secret || decode(repeat('00', 64 - length(secret)), 'hex') as block) as padded,
    generate_series(0, 63) as place);
