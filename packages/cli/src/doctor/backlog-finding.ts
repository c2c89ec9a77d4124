import type { QueuePressure } from '@factmill/contracts';
import { failed, type Finding, ok, warning } from './finding.ts';

const OLD_SECONDS = 300;
/** A worker takes what waits within a second or two; after a restart of Redis the sweeper brings it within a minute. */
const UNATTENDED_SECONDS = 90;

/** What the pressure on the queue says about its workers. */
export function backlogFinding(pressure: Readonly<Omit<QueuePressure, 'mean_seconds'>>): Finding {
  const { waiting, active, deferred, paused } = pressure;
  const age = Math.round(pressure.oldest_waiting_seconds);
  const counts = `${waiting} waiting, ${active} in work, ${deferred} over a budget`;
  if (paused) {
    return warning('backlog', {
      found: `nothing is taken: the model is down, or extraction is switched off (${counts})`,
      advice:
        'See the finding about the model and `factmill config list` (extraction.enabled). What is accepted waits; nothing is lost.',
    });
  }
  const found = `${counts}, the oldest for ${age} s`;
  if (waiting > 0 && active === 0 && age > UNATTENDED_SECONDS) {
    return failed('backlog', {
      found,
      advice: 'No extractor takes anything: is one running, and what does its /readyz say?',
    });
  }
  if (age > OLD_SECONDS) {
    return warning('backlog', {
      found,
      advice: `Run more extractors, or raise EXTRACTOR_CONCURRENCY if the model has room: ${pressure.wanted_slots} slots are wanted.`,
    });
  }
  return ok('backlog', found);
}
