import { type MemorySort, SORTED_CHARACTERS } from '@factmill/contracts';

/** An expression that a list is sorted by, never null, and its type. */
type Order = Readonly<{
  column: string;
  type: 'timestamptz' | 'real' | 'date' | 'smallint' | 'integer' | 'text' | 'uuid';
}>;

const NUMBERS: Readonly<Partial<Record<MemorySort, Order>>> = {
  importance: { column: 'm.importance', type: 'real' },
  confidence: { column: 'm.confidence', type: 'smallint' },
  tier: { column: 'm.tier', type: 'smallint' },
  source_tokens: { column: 'coalesce(m.source_tokens, 0)', type: 'integer' },
  access_count: { column: 'm.access_count', type: 'integer' },
};

/** A time that was never, or no date, comes before all others, one that never comes after them. */
const TIMES: Readonly<Partial<Record<MemorySort, Order>>> = {
  created_at: { column: 'm.created_at', type: 'timestamptz' },
  updated_at: { column: 'm.updated_at', type: 'timestamptz' },
  event_date: { column: `coalesce(m.event_date, date '0001-01-01')`, type: 'date' },
  valid_from: { column: 'm.valid_from', type: 'timestamptz' },
  last_accessed_at: time('m.last_accessed_at', '0001-01-01 00:00:00Z'),
  last_verified_at: time('m.last_verified_at', '0001-01-01 00:00:00Z'),
  expires_at: time('m.expires_at', '9999-12-31 23:59:59.999999Z'),
};

/** How a list of memories `m` is ordered by a field. Only `created_at` has an index (memories_user_idx). */
export function toOrder(field: MemorySort): Order {
  if (field === 'id') return { column: 'm.id', type: 'uuid' };
  return NUMBERS[field] ?? TIMES[field] ?? text(field === 'scope' ? 'conversation_id' : field);
}

/** The type of what a list by this field is sorted by. */
export function typeOfSort(field: MemorySort): Order['type'] {
  return toOrder(field).type;
}

function text(column: string): Order {
  return { column: `left(coalesce(m.${column}, ''), ${SORTED_CHARACTERS})`, type: 'text' };
}

function time(column: string, otherwise: string): Order {
  return { column: `coalesce(${column}, timestamptz '${otherwise}')`, type: 'timestamptz' };
}
