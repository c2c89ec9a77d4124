-- Says when what a conversation has after a message is due: extraction_due over these messages.
-- tenant, conversation: which one. after_seq: the message. trigger, schedule, last_at: as in extraction_due.
-- Result: due_at, due_for.
-- requires: extraction_due
create or replace function conversation_due(
  tenant uuid, conversation text, after_seq integer, trigger jsonb, schedule jsonb, last_at timestamptz,
  out due_at timestamptz, out due_for text
) language sql stable
begin atomic
  select due.* from (
      select count(*) filter (where role = 'user') as turns, coalesce(sum(token_estimate), 0) as tokens,
             coalesce(max(seq) filter (where role = 'assistant' and content <> '')
                      > max(seq) filter (where role = 'user'), false) as has_reply
        from messages where tenant_id = tenant and conversation_id = conversation and seq > after_seq
          and not superseded) as gathered,
    extraction_due(trigger, schedule, turns, tokens, has_reply, last_at) as due;
end;
