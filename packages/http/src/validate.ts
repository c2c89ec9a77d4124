import { AppError, explainRule, type FieldProblem } from '@factmill/errors';
import type { z } from 'zod';

/** At most this many wrong fields are named. */
const MAX_FIELDS = 50;

/**
 * Checks a body, query or path against its schema. No body is an empty object.
 *
 * @throws AppError `invalid_request` with one entry per wrong field; unknown fields are named.
 */
export function validate<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const parsed = schema.safeParse(value === undefined ? {} : value, { error: explainRule });
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.slice(0, MAX_FIELDS).flatMap(toFields).slice(0, MAX_FIELDS);
  const first = fields[0];
  const where = first === undefined || first.field === '' ? '' : `${first.field}: `;
  const more = fields.length > 1 ? ` (and ${fields.length - 1} more)` : '';
  throw new AppError('invalid_request', `${where}${first?.message ?? 'not valid'}${more}.`, { fields });
}

function toFields(issue: z.core.$ZodIssue): FieldProblem[] {
  const path = issue.path.join('.').slice(0, 256);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, MAX_FIELDS).map((key) => ({
      field: (path === '' ? key : `${path}.${key}`).slice(0, 256),
      message: 'is not a known field',
    }));
  }
  return [{ field: path, message: issue.message }];
}
