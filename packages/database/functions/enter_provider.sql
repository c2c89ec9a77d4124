-- Says whether a provider may be called now.
-- called: the provider. probe_interval_ms: time between two probes while it is down. caller: the extraction that asks.
-- Result: null when the provider works; { probe: true } when it is down and this call is the probe that was due, after
-- which the next is due in probe_interval_ms at the earliest; otherwise { wait_ms, last_probe }. The caller whose probe
-- failed last leaves the next one to another extraction that waits (last_probe), for half an interval at most: one
-- conversation that makes the provider fail must not be what it is judged by.
create or replace function enter_provider(called text, probe_interval_ms integer, caller uuid) returns jsonb
language plpgsql as $$
declare
  v_breaker provider_breakers;
  v_interval constant interval := probe_interval_ms * interval '1 millisecond';
begin
  loop
    select * into v_breaker from provider_breakers where provider = called and opened_at is not null;
    if not found then
      return null;
    elsif v_breaker.next_probe_at > clock_timestamp() then
      return jsonb_build_object('last_probe', false,
        'wait_ms', greatest(ceil(extract(epoch from v_breaker.next_probe_at - clock_timestamp()) * 1000), 1)::integer);
    elsif v_breaker.probed_by = caller and clock_timestamp() < v_breaker.next_probe_at + v_interval / 2 and exists (
        select from extractions
          where state = 'pending' and id <> caller and coalesce(next_attempt_at <= clock_timestamp(), true)) then
      return jsonb_build_object('last_probe', true, 'wait_ms', greatest(probe_interval_ms / 10, 1));
    end if;
    -- Of several at once the first gets it: the others find it moved, and look again.
    update provider_breakers set next_probe_at = clock_timestamp() + v_interval, probed_by = caller
      where provider = called and opened_at is not null and next_probe_at <= clock_timestamp();
    if found then
      return '{"probe": true}';
    end if;
  end loop;
end $$;
