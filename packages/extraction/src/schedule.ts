import type { Schedule, Trigger } from '@factmill/contracts';
import type { Preset } from './presets/preset.ts';
import { presets } from './presets.ts';

/** The presets' triggers and the deployment's settings, in the form of the database's scheduling functions. */
export function scheduleOf(deployment: {
  preset: string;
  /** `HH:MM` in `timeZone`, an IANA name. */
  dailyFlushAt: string;
  timeZone: string;
  staleAfterS: number;
}): Schedule {
  return {
    preset: deployment.preset,
    presets: Object.fromEntries(Array.from(presets, ([name, preset]) => [name, triggerOf(preset)])),
    daily_flush_at: deployment.dailyFlushAt,
    time_zone: deployment.timeZone,
    stale_after_s: deployment.staleAfterS,
  };
}

function triggerOf({ trigger, transcript }: Preset): Trigger {
  return {
    scope: trigger.scope,
    reads_replies: transcript !== 'user-only',
    min_turns: trigger.minTurns,
    max_turns: trigger.maxTurns,
    quiet_gap_s: trigger.quietGapS,
    idle_timeout_s: trigger.idleTimeoutS,
    token_cap: trigger.tokenCap,
    daily_flush: trigger.dailyFlush,
  };
}
