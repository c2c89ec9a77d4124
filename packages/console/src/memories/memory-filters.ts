import type { MemoryKind, MemorySort } from '@factmill/contracts';
import { KINDS, MEMORY_STATES, type MemoryStateFilter } from '../codes.ts';
import type { UrlSearch } from '../url-search.ts';

/** What a list of memories shows, as its address says it. */
export type MemoryFilters = Readonly<{
  user: string;
  state: MemoryStateFilter;
  q: string;
  kind: MemoryKind | '';
  category: string;
  tag: string;
  key: string;
  tier: '' | '1' | '2' | '3';
  project: string;
  scope: string;
  sort: MemorySort;
  order: 'asc' | 'desc';
}>;

/** Those that the table can be sorted by. */
const SORTS = [
  'created_at',
  'updated_at',
  'importance',
  'category',
  'content',
  'kind',
  'tier',
  'user_id',
] as const;

/** Reads the filters of an address. What does not fit counts as not given, so that any link shows a list. */
export function parseMemoryFilters(search: UrlSearch): MemoryFilters {
  const text = (name: string) => search[name] ?? '';
  const oneOf = <T extends string>(name: string, all: readonly T[], otherwise: T) =>
    all.find((value) => value === search[name]) ?? otherwise;
  return {
    user: text('user'),
    state: oneOf('state', MEMORY_STATES, 'current'),
    q: text('q'),
    kind: oneOf('kind', ['', ...KINDS], ''),
    category: text('category'),
    tag: text('tag'),
    key: text('key'),
    tier: oneOf('tier', ['', '1', '2', '3'], ''),
    project: text('project'),
    scope: text('scope'),
    sort: oneOf('sort', SORTS, 'created_at'),
    order: oneOf('order', ['asc', 'desc'], 'desc'),
  };
}

/** The query of the API for filters; without a user all users are asked for by those who may. */
export function toListQuery(filters: MemoryFilters, canReadAll: boolean) {
  const { user, state, tier, sort, order, kind, ...texts } = filters;
  const filled = Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== ''));
  return {
    ...(filled as Partial<typeof texts>),
    ...(user === '' ? (canReadAll ? { all_users: true } : {}) : { user_id: user }),
    ...(kind === '' ? {} : { kind }),
    ...(tier === '' ? {} : { tier: Number(tier) }),
    ...(state === 'current' ? {} : { state }),
    sort_by: sort,
    order,
  };
}

/** Whether anything but the user narrows the list down. */
export function isFiltered({ q, kind, category, tag, key, tier, project, scope }: MemoryFilters): boolean {
  return [q, kind, category, tag, key, tier, project, scope].some((value) => value !== '');
}

/** The order after a click on a column: the other way round if it is sorted by already. */
export function nextOrder({ sort, order }: Pick<MemoryFilters, 'sort' | 'order'>, by: string): UrlSearch {
  const isSame = sort === by;
  const first = by === 'content' || by === 'category' || by === 'user_id' ? 'asc' : 'desc';
  return { sort: by, order: isSame ? (order === 'asc' ? 'desc' : 'asc') : first };
}
