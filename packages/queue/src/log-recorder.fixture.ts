import type { QueueLogger } from './index.ts';

type LogLine = Readonly<{
  level: keyof QueueLogger;
  fields: Record<string, unknown>;
  message: string;
}>;

export type LogRecorder = Readonly<{ logger: QueueLogger; lines: LogLine[] }>;

/** A logger that keeps its lines. */
export function createLogRecorder(): LogRecorder {
  const lines: LogLine[] = [];
  const at = (level: keyof QueueLogger) => (fields: Record<string, unknown>, message: string) => {
    lines.push({ level, fields, message });
  };
  return { lines, logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } };
}
