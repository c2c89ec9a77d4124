import { type ImportItem, importItemSchema, type Memory } from '@factmill/contracts';
import { AppError } from '@factmill/errors';

const FORMAT = 'factmill-memories';
const VERSION = 1;

/** The first line of an export. */
export function toExportHeader(userId: string, now: Date): string {
  return JSON.stringify({
    format: FORMAT,
    version: VERSION,
    user_id: userId,
    exported_at: now.toISOString(),
  });
}

/** One memory as a line of an export: what is needed to import it again. */
export function toExportLine(memory: Memory): string {
  const { key, question } = memory;
  const item: Record<string, unknown> = {
    id: memory.id,
    kind: memory.kind,
    ...(key === null ? {} : { key, value: memory.value }),
    ...(question === null ? {} : { question, answer: memory.answer }),
    content: memory.content,
    category: memory.category,
    tags: memory.tags,
    project: memory.project,
    topic: memory.topic,
    tier: memory.tier,
    importance: memory.importance,
    confidence: memory.confidence,
    source: memory.source,
    source_context: memory.source_context,
    scope: memory.scope,
    expires_at: memory.expires_at,
    valid_from: memory.valid_from,
    // An event is stated when it happened, also when it was imported itself.
    stated_at: memory.kind === 'event' ? memory.valid_from : memory.created_at,
    metadata: memory.metadata,
  };
  return JSON.stringify(Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null)));
}

/**
 * The items of an export.
 *
 * @throws AppError `invalid_request` naming the first line that is none, and no text of it
 */
export function parseExport(text: string): ImportItem[] {
  const [header = '', ...lines] = text.split('\n').filter((line) => line.trim() !== '');
  const { format, version } = parseObject(header);
  if (format !== FORMAT || version !== VERSION) {
    throw new AppError(
      'invalid_request',
      `This is not an export of Factmill: its first line is to have "format":"${FORMAT}" and "version":${VERSION}.`,
    );
  }
  return lines.map((line, index) => {
    const parsed = importItemSchema.safeParse(parseObject(line));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    const field = issue?.path.join('.') || 'the line';
    throw new AppError('invalid_request', `Item ${index + 1} of the export cannot be used: see ${field}.`);
  });
}

function parseObject(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
