import { type ImportItem, importItemSchema } from '@factmill/contracts';
import { AppError } from '@factmill/errors';

const FORMAT = 'factmill-memories';
const VERSION = 1;

/**
 * The items of a list of memories, as `factmill export` wrote it before exports had everything.
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
