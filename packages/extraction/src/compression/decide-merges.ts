import { refusalOfStatement, sourcesOf } from './check-statement.ts';
import type { CompressionDecision } from './compression-plan.ts';
import type { DecideContext } from './decide-context.ts';
import { MIN_COVERAGE, wordCoverage } from './word-coverage.ts';

/**
 * Answers of `merge-partition`: statements that each replace two or more memories. A memory goes into at most one
 * statement, and only into one that repeats something of it; unused memories stay.
 */
export function decideMerges({ step, reply, source, gone, refuse }: DecideContext): CompressionDecision[] {
  const decisions: CompressionDecision[] = [];
  for (const { text, ...group } of reply.groups) {
    const from = sourcesOf({ text, ...group }, source);
    const refusal =
      typeof from === 'string'
        ? from
        : from.length < 2
          ? 'nothing_to_merge'
          : from.some((memory) => gone.has(memory.id))
            ? 'used_twice'
            : (refusalOfStatement({ ...group, text }, from) ??
              (from.some((memory) => wordCoverage(memory.content, text ?? '') < MIN_COVERAGE)
                ? 'lossy'
                : null));
    if (refusal !== null || typeof from === 'string' || text === null) {
      refuse(refusal ?? 'not_a_statement');
      continue;
    }
    const ids = from.map((memory) => memory.id);
    for (const id of ids) gone.add(id);
    decisions.push({ op: 'merge', text, project: step.project, topic: step.topic, from: ids });
  }
  return decisions;
}
