import type { Extraction } from '@factmill/contracts';

/** What an extraction did, in words: `2 added, 1 refused`. */
export function toChanges({ added, updated, deleted, unchanged, rejected }: Extraction['counts']): string {
  const parts = [
    added > 0 ? `${added} added` : '',
    updated > 0 ? `${updated} updated` : '',
    deleted > 0 ? `${deleted} deleted` : '',
    unchanged > 0 ? `${unchanged} known` : '',
    rejected > 0 ? `${rejected} refused` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'nothing to remember' : parts.join(', ');
}
