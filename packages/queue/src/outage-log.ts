import { errorCodeOf } from './error-code.ts';
import type { Clock, QueueLogger } from './types.ts';

/** At most one warning in this time: a backend that is down reports an error for every attempt to reach it. */
const QUIET_MS = 10_000;

/** Logs the connection errors of one part of the queue: the first as a warning, those right after it at debug. */
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
