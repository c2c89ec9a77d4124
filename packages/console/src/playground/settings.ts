import type { Client } from '@factmill/client';
import type { MemoryKind, SearchMode } from '@factmill/contracts';
import { KINDS, MODES } from '../codes.ts';
import type { UrlSearch } from '../url-search.ts';

export type SearchBody = Parameters<Client['memories']['search']>[0];
export type ContextBody = Parameters<Client['context']>[0];

/** The names of a setting's fields, as the address has them; those of the second one begin with `b_`. */
export const SETTING_FIELDS = [
  'mode',
  'limit',
  'as_of',
  'kind',
  'category',
  'tag',
  'project',
  'scope',
  'min_similarity',
  'min_relevance',
  'recency_weight',
  'mmr_lambda',
  'rerank',
  'include_turns',
  'include_pending',
  'token_budget',
] as const;
export type SettingField = (typeof SETTING_FIELDS)[number];
/** As typed; empty for the default of the service. */
export type Setting = Readonly<Record<SettingField, string>>;

export const SIDES = ['a', 'b'] as const;
export type Side = (typeof SIDES)[number];

/** The name of a field of one side in the address. */
export function urlName(side: Side, field: SettingField): string {
  return side === 'a' ? field : `b_${field}`;
}

export function parseSetting(search: UrlSearch, side: Side): Setting {
  return Object.fromEntries(
    SETTING_FIELDS.map((field) => [field, search[urlName(side, field)] ?? '']),
  ) as Setting;
}

type Asked = Readonly<{ query: string; user: string; canReadAll: boolean }>;

/** The search that a setting describes, explained. */
export function toSearchBody({ query, user, canReadAll }: Asked, setting: Setting): SearchBody {
  const filters = filtersOf(setting);
  return {
    query,
    ...(user === '' ? (canReadAll ? { all_users: true } : {}) : { user_id: user }),
    ...modeOf(setting),
    ...numbersOf(setting, [
      'limit',
      'min_similarity',
      'min_relevance',
      'recency_weight',
      'mmr_lambda',
      'token_budget',
    ]),
    ...flagsOf(setting, ['rerank', 'include_turns', 'include_pending']),
    ...(setting.scope === '' ? {} : { scopes: [setting.scope, 'global'] }),
    ...(filters === undefined ? {} : { filters }),
    ...(setting.as_of === '' ? {} : { as_of: new Date(setting.as_of).toISOString() }),
    explain: true,
  };
}

/** The context of a prompt that the same setting brings, explained; of one user only, and always of today. */
export function toContextBody({ query, user }: Asked, setting: Setting): ContextBody {
  const filters = filtersOf(setting);
  return {
    query,
    format: 'section',
    ...(user === '' ? {} : { user_id: user }),
    ...modeOf(setting),
    ...numbersOf(setting, ['limit', 'min_relevance', 'recency_weight', 'mmr_lambda', 'token_budget']),
    ...(setting.scope === '' ? {} : { conversation_id: setting.scope }),
    ...(filters === undefined ? {} : { filters }),
    explain: true,
  };
}

function modeOf({ mode }: Setting): { mode?: SearchMode } {
  const known = MODES.find((name) => name === mode);
  return known === undefined ? {} : { mode: known };
}

function filtersOf({ kind, category, tag, project }: Setting) {
  const known = KINDS.find((name) => name === kind);
  const filters = {
    ...(known === undefined ? {} : { kinds: [known] satisfies MemoryKind[] }),
    ...(category === '' ? {} : { categories: [category] }),
    ...(tag === '' ? {} : { tags: [tag] }),
    ...(project === '' ? {} : { project }),
  };
  return Object.keys(filters).length === 0 ? undefined : filters;
}

function numbersOf<T extends SettingField>(
  setting: Setting,
  fields: readonly T[],
): Partial<Record<T, number>> {
  return Object.fromEntries(
    fields.filter((field) => setting[field] !== '').map((field) => [field, Number(setting[field])]),
  ) as Partial<Record<T, number>>;
}

function flagsOf<T extends SettingField>(
  setting: Setting,
  fields: readonly T[],
): Partial<Record<T, boolean>> {
  return Object.fromEntries(
    fields.filter((field) => setting[field] !== '').map((field) => [field, setting[field] === 'true']),
  ) as Partial<Record<T, boolean>>;
}
