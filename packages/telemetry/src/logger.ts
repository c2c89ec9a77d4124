import { type Attributes, logs, SeverityNumber, trace } from '@opentelemetry/api';
import { Writable } from 'node:stream';
import { type Level, type Logger as PinoLogger, multistream, pino, stdTimeFunctions } from 'pino';
import { createBufferedDestination } from './buffered-destination.ts';

export type Logger = PinoLogger;

/**
 * Fields that could hold a user's text or a secret. They are removed at the top of an event and one level down, as
 * a second line of defence: no code should log them at all. pino's own redaction is not used: its wildcards cost 12
 * µs of a line's 17.
 */
const REDACTED = new Set([
  'content',
  'text',
  'query',
  'messages',
  'prompt',
  'raw',
  'value',
  'question',
  'answer',
  'authorization',
  'apiKey',
  'key',
  'secret',
  'password',
  'connectionString',
]);

const SEVERITY: Readonly<Record<number, SeverityNumber>> = {
  10: SeverityNumber.TRACE,
  20: SeverityNumber.DEBUG,
  30: SeverityNumber.INFO,
  40: SeverityNumber.WARN,
  50: SeverityNumber.ERROR,
  60: SeverityNumber.FATAL,
};

/** Hands each line to OpenTelemetry as well; a no-op until a logger provider is registered. */
function createOtelStream(service: string): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      const { level, time, msg, ...attributes } = JSON.parse(chunk.toString('utf8')) as Attributes & {
        level: number;
        time: string;
        msg?: string;
      };
      logs.getLogger(service).emit({
        severityNumber: SEVERITY[level] ?? SeverityNumber.UNSPECIFIED,
        timestamp: new Date(time),
        body: msg ?? '',
        attributes,
      });
      done();
    },
  });
}

export type LoggerOptions = Readonly<{
  service: string;
  level: string;
  /** Send lines to OpenTelemetry too. */
  exported?: boolean;
  /** Where lines go; default stdout. */
  destination?: NodeJS.WritableStream;
}>;

/** JSON lines with the ids of the active trace; one wide event per request and per job. */
export function createLogger(options: LoggerOptions): Logger {
  const main = options.destination ?? createBufferedDestination(1);
  // Without a level of its own a multi-stream drops everything below info.
  const level = options.level as Level;
  const stream = options.exported
    ? multistream([
        { stream: main, level },
        { stream: createOtelStream(options.service), level },
      ])
    : main;
  return pino(
    {
      base: { service: options.service },
      level: options.level,
      timestamp: stdTimeFunctions.isoTime,
      mixin() {
        const span = trace.getActiveSpan()?.spanContext();
        return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
      },
      serializers: { err: errorForLog },
      formatters: { log: redactFields },
      hooks: {
        // Without a message pino would use the error's own, which can quote input.
        logMethod(args, method) {
          const [first, message] = args as unknown[];
          if (message !== undefined || typeof first === 'string') return method.apply(this, args);
          method.apply(this, [
            first instanceof Error ? { err: first } : first,
            'no message',
          ] as unknown as typeof args);
        },
      },
    },
    stream,
  );
}

/** The event without forbidden fields; errors under other names than `err` are reduced like it. */
function redactFields(fields: Record<string, unknown>, depth = 0): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (REDACTED.has(name)) shown[name] = '[redacted]';
    else if (typeof value !== 'object' || value === null || (name === 'err' && depth === 0))
      shown[name] = value;
    else if (value instanceof Error) shown[name] = errorForLog(value);
    else if (Array.isArray(value) || depth > 0) shown[name] = value;
    else shown[name] = redactFields(value as Record<string, unknown>, depth + 1);
  }
  return shown;
}

/**
 * The loggable part of an error: its name, code and the places of our own stack. Messages of foreign errors can
 * quote input (a Postgres error names the offending value), so only AppError messages are kept.
 */
function errorForLog(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error };
  const code = 'code' in error ? error.code : undefined;
  return {
    name: error.name,
    ...(typeof code === 'string' ? { code } : {}),
    ...(error.name === 'AppError' ? { message: error.message } : {}),
    stack: placesOf(error),
    ...(error.cause === undefined ? {} : { cause: errorForLog(error.cause) }),
  };
}

/** The frames of a stack without the message before them, which can have lines that look like frames. */
function placesOf(error: Error): string {
  const stack = error.stack ?? '';
  const start = stack.indexOf(error.message);
  return stack
    .slice(start < 0 ? 0 : start + error.message.length)
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 12)
    .join('\n');
}
