import type { Compression } from '@factmill/contracts';
import type { CompressionDecision } from '@factmill/extraction';

/**
 * Decisions as a diff: `+` a new memory, `-` one that is archived, `~` one that changes, `=` an event that is
 * compressed and stays. Ids stand in brackets.
 */
export function renderDecisions(
  decisions: readonly CompressionDecision[],
  contents: Readonly<Record<string, string>>,
): string[] {
  const named = (id: string): string => `[${id}] ${oneLine(contents[id] ?? '(deleted)')}`;
  return decisions.flatMap((decision): string[] => {
    switch (decision.op) {
      case 'fact':
        return [`+ ${oneLine(decision.text)}  from ${decision.from.map((id) => `[${id}]`).join(' ')}`];
      case 'merge':
        return [`+ ${oneLine(decision.text)}`, ...decision.from.map((id) => `  - ${named(id)}`)];
      case 'collapse':
        return [`  ${named(decision.into)}`, ...decision.from.map((id) => `  - ${named(id)}`)];
      case 'profile_add':
        return [
          `+ profile: ${oneLine(decision.text)}  from ${decision.from.map((id) => `[${id}]`).join(' ')}`,
        ];
      case 'profile_update':
        return [`~ profile: ${named(decision.id)}`, `         to: ${oneLine(decision.text)}`];
      case 'promote':
        return [`~ becomes profile: ${named(decision.id)}`];
      case 'archive':
        return [`- ${decision.reason}: ${named(decision.id)}`];
      default:
        return decision.ids.map((id) => `= compressed: ${named(id)}`);
    }
  });
}

/** One line about a run, for lists. */
export function renderRun(run: Compression): string {
  const counts = Object.entries(run.counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
  const what = run.error === null ? counts || 'nothing to do' : run.error.class;
  const state = run.dry_run && run.state !== 'proposed' ? `${run.state} (dry run)` : run.state;
  return [
    run.id,
    run.user_id,
    run.kind,
    run.last_day,
    state,
    run.finished_at === null && run.error === null ? '' : what,
  ]
    .join('\t')
    .trimEnd();
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
