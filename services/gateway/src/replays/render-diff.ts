import type { Memory, ReplayChange, ReplayDiff, ReplayDiffItem } from '@factmill/contracts';

const MARKS: Readonly<Record<ReplayChange, string>> = { added: '+', changed: '~', gone: '-', same: '=' };

/** Fields of a changed memory that are told with both values, when its content is the same. */
const TOLD = ['kind', 'tier', 'category', 'key', 'scope', 'project', 'topic'] as const;

/**
 * A page of a diff as lines to read: how many of each, then `+` added, `-` gone, `~` changed, `=` the same. With several
 * users each has a heading.
 */
export function renderDiff({ counts, data, next_cursor: next }: ReplayDiff, namesUsers: boolean): string {
  const total = Object.entries(counts).map(([change, count]) => `${count} ${change}`);
  const lines = [total.join(', '), ''];
  for (const [user, items] of Map.groupBy(data, (item) => item.user_id)) {
    if (namesUsers) lines.push(`# ${oneLine(user)}`);
    lines.push(...items.map(toLine));
  }
  if (next !== null) lines.push(`… more with cursor=${next}`);
  return `${lines.join('\n').trimEnd()}\n`;
}

function toLine({ change, fields, before, after }: ReplayDiffItem): string {
  const shown = after ?? before;
  if (shown === null) return MARKS[change];
  const head = `${MARKS[change]} [${oneLine(nameOf(shown))}]`;
  if (change !== 'changed' || before === null || after === null) return `${head} ${oneLine(shown.content)}`;
  if (before.content !== after.content)
    return `${head} ${oneLine(before.content)} → ${oneLine(after.content)}`;
  const told = TOLD.filter((field) => fields.includes(field)).map(
    (field) => `${field}: ${String(before[field])} → ${String(after[field])}`,
  );
  const others = fields.filter((field) => !TOLD.some((known) => known === field));
  return `${head} ${oneLine(after.content)} (${oneLine([...told, ...others].join(', '))})`;
}

function nameOf({ kind, category, key }: Memory): string {
  return [kind, category, ...(key === null ? [] : [key])].join(' ');
}

/** Without line feeds, and without what a terminal would obey. */
function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}
