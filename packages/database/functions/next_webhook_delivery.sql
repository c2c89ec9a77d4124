-- Says what a worker delivers next to an endpoint that it holds, and extends its lease: first what is pending (tests,
-- replays, and what the endpoint has not taken yet, in the order of events), then the next event of its types, which is
-- written into the log and counts as served from then on, in one transaction.
-- tenant, webhook, claim_fence: the claim. lease_ms: the new lease.
-- Result: { id, url, payload, secrets, failures, event: { id, type, timestamp, user_id, data } }, for a test with the id of
-- the delivery as the event's; null when there is nothing, or the claim is not the latest, or the endpoint is disabled.
create or replace function next_webhook_delivery(tenant uuid, webhook uuid, claim_fence integer, lease_ms integer)
returns jsonb language plpgsql as $$
declare
  v_hook webhooks;
  v_delivery webhook_deliveries;
  v_event events;
  v_horizon bigint;
begin
  update webhooks set lease_until = now() + lease_ms * interval '1 millisecond'
    where tenant_id = tenant and id = webhook and fence = claim_fence and disabled_at is null
    returning * into v_hook;
  if not found then
    return null;
  end if;
  loop
    select * into v_delivery from webhook_deliveries
      where tenant_id = tenant and webhook_id = webhook and state = 'pending'
      order by watermark nulls first, number, created_at limit 1;
    if not found then
      exit;
    end if;
    select * into v_event from events
      where tenant_id = tenant and watermark = v_delivery.watermark and number = v_delivery.number;
    if found or v_delivery.watermark is null then
      exit;
    end if;
    -- Its time is over, or its user has been erased.
    update webhook_deliveries set state = 'failed', error = 'event_gone'
      where tenant_id = tenant and id = v_delivery.id;
  end loop;
  if v_delivery.id is null then
    -- In a statement before the one that reads, so that its snapshot is the older one.
    v_horizon := event_horizon();
    select * into v_event from events
      where tenant_id = tenant and (watermark, number) > (v_hook.watermark, v_hook.number) and watermark < v_horizon
        and (v_hook.types is null or type = any(v_hook.types))
      order by watermark, number limit 1;
    update webhooks
      set watermark = coalesce(v_event.watermark, greatest(watermark, v_horizon)),
          number = case when v_event.number is not null then v_event.number when watermark < v_horizon then 0
            else number end
      where tenant_id = tenant and id = webhook;
    if v_event.number is null then
      return null;
    end if;
    insert into webhook_deliveries as d (id, tenant_id, webhook_id, watermark, number, type)
      values (new_uuid_v7(), tenant, webhook, v_event.watermark, v_event.number, v_event.type)
      on conflict (tenant_id, webhook_id, watermark, number) do update set state = 'pending'
      returning * into v_delivery;
  end if;
  return jsonb_build_object(
    'id', v_delivery.id, 'url', v_hook.url, 'payload', v_hook.payload, 'failures', v_hook.failures,
    'secrets', case when v_hook.previous_secret_until > now()
      then jsonb_build_array(v_hook.secret, v_hook.previous_secret) else jsonb_build_array(v_hook.secret) end,
    'event', jsonb_build_object(
      'id', coalesce(v_delivery.watermark || '-' || v_delivery.number, v_delivery.id::text),
      'type', v_delivery.type, 'timestamp', coalesce(v_event.created_at, v_delivery.created_at),
      'user_id', v_event.user_id, 'data', coalesce(v_event.data, '{}')));
end $$;
