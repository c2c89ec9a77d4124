-- Where a message comes from: the channel (mail, telegram) and who wrote in it, as the client names them. A memory has
-- what all of its messages agree on. An event also has the day on which it was told, in the deployment's time zone, and
-- the estimated tokens of the messages that it was made from.

alter table messages add column channel text, add column sender text;
alter table memories add column channel text, add column sender text, add column event_date date,
  add column source_tokens integer;
