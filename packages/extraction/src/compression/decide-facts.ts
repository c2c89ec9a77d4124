import { normaliseKey } from '../content-hash.ts';
import { factSentence } from '../fact-sentence.ts';
import { refusalOfStatement, sourcesOf } from './check-statement.ts';
import type { CompressionDecision } from './compression-plan.ts';
import type { DecideContext } from './decide-context.ts';

/**
 * Answers of `compress-events`: facts, each with its source events; an event may support several facts. A complete
 * reply compresses all its events, including those without a lasting fact; a truncated one only those that it used.
 */
export function decideFacts({ step, reply, source, gone, refuse }: DecideContext): CompressionDecision[] {
  if (reply.status === 'invalid') return [];
  const decisions: CompressionDecision[] = [];
  const used = new Set<string>();
  for (const group of reply.groups) {
    const from = sourcesOf(group, source);
    if (typeof from === 'string') {
      refuse(from);
      continue;
    }
    const key = group.key === null || group.value === null ? '' : normaliseKey(group.key);
    const text = group.text ?? (key === '' ? null : factSentence(key, group.value ?? ''));
    const refusal = refusalOfStatement({ ...group, text }, from);
    if (refusal !== null || text === null) {
      refuse(refusal ?? 'not_a_statement');
      continue;
    }
    const ids = from.map((memory) => memory.id);
    decisions.push({
      op: 'fact',
      text,
      key: key === '' ? null : key,
      value: key === '' ? null : group.value,
      category: group.category,
      from: ids,
    });
    for (const id of ids) used.add(id);
  }
  const whole = reply.status === 'ok';
  const ids = step.sources
    .flatMap((_planned, index) => source(index + 1)?.id ?? [])
    .filter((id) => !gone.has(id) && (whole || used.has(id)));
  return ids.length === 0 ? decisions : [...decisions, { op: 'compressed', ids }];
}
