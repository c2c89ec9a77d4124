import type { z } from 'zod';

/**
 * zod's error map for everything that people write, requests and settings alike: says what to give instead of what the
 * validator expected, and never quotes the value. A rule with words of its own in its schema keeps them.
 */
export const explainRule: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${nameOfType(issue.expected)}`;
    case 'too_small':
      return bound(issue.origin, issue.minimum, issue.inclusive === false ? 'more than' : 'at least');
    case 'too_big':
      return bound(issue.origin, issue.maximum, issue.inclusive === false ? 'less than' : 'at most');
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_format':
      return FORMATS[issue.format] ?? 'is not in the form that is needed here';
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return 'has a field that is not known';
    case 'invalid_union':
      return alternatives(issue.errors);
    case 'invalid_key':
      return 'has a name that is not allowed';
    default:
      return 'is not valid';
  }
};

const FORMATS: Readonly<Record<string, string>> = {
  url: 'must be a whole address, with https:// or what else it begins with',
  uuid: 'must be a UUID',
  datetime: 'must be a time with a zone, such as 2026-11-21T10:00:00Z',
  date: 'must be a date such as 2026-11-21',
  email: 'must be an e-mail address',
};

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  nan: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

function nameOfType(expected: string): string {
  return TYPES[expected] ?? expected;
}

function bound(origin: string, limit: number | bigint, comparison: string): string {
  const unit = UNITS[origin];
  if (unit === undefined) return `must be ${comparison} ${limit}`;
  if (comparison === 'at least' && Number(limit) === 1) return 'must not be empty';
  return `must have ${comparison} ${limit} ${Number(limit) === 1 ? unit.one : unit.many}`;
}

const UNITS: Readonly<Record<string, Readonly<{ one: string; many: string }>>> = {
  string: { one: 'character', many: 'characters' },
  array: { one: 'entry', many: 'entries' },
  set: { one: 'entry', many: 'entries' },
};

/** What each of the allowed forms asks for first. */
function alternatives(errors: readonly (readonly Readonly<{ message: string }>[])[]): string {
  const rules = new Set(errors.flatMap(([first]) => (first === undefined ? [] : [first.message])));
  return rules.size === 0 ? 'is in none of the allowed forms' : [...rules].join(', or ');
}
