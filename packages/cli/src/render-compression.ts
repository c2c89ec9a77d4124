import type { CompressionRun } from '@factmill/database';
import type { CompressionDecision } from '@factmill/extraction';

/** The decisions of a run; empty while it has made none, and after their texts are purged. */
export function decisionsOf(run: Pick<CompressionRun, 'decisions'>): readonly CompressionDecision[] {
  return (run.decisions as readonly CompressionDecision[] | null) ?? [];
}

/** Every memory that decisions name. */
export function memoryIdsOf(decisions: readonly CompressionDecision[]): string[] {
  return [
    ...new Set(
      decisions.flatMap((decision) => [
        ...('from' in decision ? decision.from : []),
        ...('ids' in decision ? decision.ids : []),
        ...('id' in decision ? [decision.id] : []),
        ...('into' in decision ? [decision.into] : []),
      ]),
    ),
  ];
}

/**
 * Decisions as a diff: `+` a new memory, `-` one that is archived, `~` one that changes, `=` an event that is
 * compressed and stays. Ids stand in brackets.
 */
export function renderDecisions(
  decisions: readonly CompressionDecision[],
  contents: ReadonlyMap<string, string>,
): string[] {
  const named = (id: string): string => `[${id}] ${oneLine(contents.get(id) ?? '(deleted)')}`;
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
export function renderRun(run: CompressionRun): string {
  const counts = Object.entries(run.counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
  const what = run.errorClass === null ? counts || 'nothing to do' : run.errorClass;
  const state = run.dryRun && run.state !== 'proposed' ? `${run.state} (dry run)` : run.state;
  return [
    run.id,
    run.userId,
    run.kind,
    run.period,
    state,
    run.finishedAt === null && run.errorClass === null ? '' : what,
  ]
    .join('\t')
    .trimEnd();
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
