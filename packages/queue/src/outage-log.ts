import { errorCodeOf } from './error-code.ts';
import type { Clock, QueueLogger } from './types.ts';

/** At most one warning per this time: a backend that is down fails every connection attempt. */
const QUIET_MS = 10_000;

/** Logs the connection errors of one part of the queue: the first as a warning, those shortly after it at debug. */
export function createOutageLog(deps: {
  logger: QueueLogger;
  clock: Clock;
  part: string;
}): (error: unknown) => void {
  const { logger, clock, part } = deps;
  let quietUntil = 0;
  return (error) => {
    const fields = { part, code: errorCodeOf(error) };
    if (clock() < quietUntil) {
      logger.debug(fields, 'queue backend error');
      return;
    }
    quietUntil = clock() + QUIET_MS;
    logger.warn(fields, 'queue backend error');
  };
}
