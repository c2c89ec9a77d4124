import { diffWordsWithSpace } from 'diff';

export type DiffPart = Readonly<{ kind: 'same' | 'added' | 'removed'; text: string }>;

/** Words that a change added or removed, in reading order. Texts that share almost nothing are shown one after the other. */
export function diffTexts(before: string, after: string): DiffPart[] {
  if (before === after) return before === '' ? [] : [{ kind: 'same', text: before }];
  const parts = diffWordsWithSpace(before, after, { maxEditLength: 2_000 }) ?? [];
  const kept = parts.reduce(
    (sum, part) => sum + (part.added || part.removed ? 0 : part.value.trim().length),
    0,
  );
  if (kept * 5 < Math.max(before.length, after.length)) {
    return [
      { kind: 'removed' as const, text: before },
      { kind: 'added' as const, text: after },
    ].filter(({ text }) => text !== '');
  }
  return parts.map(({ value, added, removed }) => ({ kind: kindOf(added, removed), text: value }));
}

function kindOf(added: boolean, removed: boolean): DiffPart['kind'] {
  if (added) return 'added';
  return removed ? 'removed' : 'same';
}

export type FieldChange = Readonly<{ field: string; before: string; after: string }>;

/** What is not worth a line: times of bookkeeping, and what follows from other fields. */
const UNSHOWN = new Set([
  'updated_at',
  'id',
  'user_id',
  'access_count',
  'last_accessed_at',
  'created_at',
  'superseded_by',
]);

/** Fields that differ between two snapshots of a memory, as text; the content first. */
export function changedFields(before: unknown, after: unknown): FieldChange[] {
  const [old, now] = [asObject(before), asObject(after)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((name) => !UNSHOWN.has(name));
  return names
    .map((field) => ({ field, before: toText(old[field]), after: toText(now[field]) }))
    .filter((change) => change.before !== change.after)
    .sort(
      (a, b) => Number(b.field === 'content') - Number(a.field === 'content') || (a.field < b.field ? -1 : 1),
    );
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
