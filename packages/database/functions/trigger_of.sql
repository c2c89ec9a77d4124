-- Finds the trigger of a conversation: that of its preset (the request's, else its own, else the deployment's), changed
-- by its own policy.
-- policy, preset: of the conversation and of the request. schedule: as in accept_conversations. Result: the trigger.
create or replace function trigger_of(policy jsonb, preset text, schedule jsonb) returns jsonb language sql immutable
return coalesce(schedule->'presets'->coalesce(preset, policy->>'preset', schedule->>'preset'),
                schedule->'presets'->(schedule->>'preset'), '{}') || (policy - 'preset');
