import { type Config, loadConfig, loadProcessEnvironment, type RawEnvironment } from '@factmill/config';
import { isAppError } from '@factmill/errors';
import { createLogger, type Logger, startTelemetry, type Telemetry } from '@factmill/telemetry';
import { allocateYoung } from './allocate-young.ts';
import { type Disposables, createDisposables } from './disposables.ts';

export const VERSION = '0.1.0';

export type ProcessContext = Readonly<{
  config: Config;
  logger: Logger;
  telemetry: Telemetry;
  /** Resources added here are released in reverse order when the process stops. */
  disposables: Disposables;
}>;

export type ProcessOptions = Readonly<{
  /** Values for variables that are not set. */
  defaults?: RawEnvironment;
  /** Printed after a clean stop. */
  farewell?: string;
}>;

/**
 * A signal to the whole process group reaches a child once from the group and once from its parent. A second signal
 * counts only when it comes later than this.
 */
const SAME_SIGNAL_MS = 1_000;

/** Stopping may take this much longer than the grace for running work; then the process ends itself. */
const CLOSE_MARGIN_MS = 2_000;

/**
 * The life of a service process: read the configuration, start, stop on SIGTERM, SIGINT or SIGHUP (exit 0), end at
 * once on a second signal. A failed start prints one sentence and exits 1. Only `main.ts` files call this.
 */
export async function runProcess(
  service: string,
  start: (context: ProcessContext) => Promise<void>,
  { defaults = {}, farewell = '' }: ProcessOptions = {},
): Promise<void> {
  allocateYoung();
  const disposables = createDisposables();
  let logger: Logger | undefined;
  let signals: Signals | undefined;
  const warn = (line: string) => process.stderr.write(`${service}: ${line}\n`);
  try {
    const config = loadConfig({ ...defaults, ...loadProcessEnvironment(warn) });
    logger = createLogger({
      service,
      level: config.logLevel,
      exported: config.telemetry.otlpEndpoint !== null,
    });
    const telemetry = disposables.add(
      await startTelemetry({ service, version: VERSION, otlpEndpoint: config.telemetry.otlpEndpoint }),
    );
    endOnBug(logger);
    signals = stopOnSignal(config, logger, disposables, farewell);
    await start({ config, logger, telemetry, disposables });
  } catch (error) {
    // The process was stopped while it started, so this error is a consequence. It ends when all is released.
    if (signals?.isStopping() === true) return;
    await disposables.close().catch(() => undefined);
    failStart(service, error, logger);
  }
}

type Signals = Readonly<{ isStopping: () => boolean }>;

function stopOnSignal(config: Config, logger: Logger, disposables: Disposables, farewell: string): Signals {
  let stoppingSince: number | undefined;
  const stop = (signal: NodeJS.Signals) => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince > SAME_SIGNAL_MS) process.exit(130);
      return;
    }
    stoppingSince = performance.now();
    logger.info({ signal }, 'stopping');
    setTimeout(() => {
      logger.error('did not stop in time');
      process.exit(1);
    }, config.shutdownGraceMs + CLOSE_MARGIN_MS).unref();
    disposables.close().then(
      () => {
        process.stdout.write(farewell);
        process.exit(0);
      },
      (error: unknown) => {
        logger.error({ err: error }, 'stopped with an error');
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
  return { isStopping: () => stoppingSince !== undefined };
}

/** After an unhandled error the state is unknown: end, and let the supervisor restart the process. */
function endOnBug(logger: Logger): void {
  const end = (error: unknown) => {
    logger.fatal({ err: error }, 'unhandled error');
    process.exit(1);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}

function failStart(service: string, error: unknown, logger: Logger | undefined): never {
  if (isAppError(error)) {
    process.stderr.write(`${service}: ${error.message}\n`);
  } else if (logger !== undefined) {
    logger.fatal({ err: error }, 'could not start');
  } else {
    process.stderr.write(
      `${service}: could not start (${error instanceof Error ? error.name : typeof error})\n`,
    );
  }
  process.exit(1);
}
