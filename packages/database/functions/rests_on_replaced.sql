-- Says whether a memory rests on nothing but replies that have been regenerated since.
-- message_ids: the messages the memory comes from. tenant, conversation: where they are.
create or replace function rests_on_replaced(message_ids text[], tenant uuid, conversation text) returns boolean
language sql stable
return cardinality(message_ids) > 0 and not exists (
  select from unnest(message_ids) as source (id) where not exists (
    select from messages s where s.tenant_id = tenant and s.conversation_id = conversation and s.id = source.id
      and s.superseded));
