import { contentHash } from '../content-hash.ts';
import { refusalOfStatement, sourcesOf } from './check-statement.ts';
import type { CompressionDecision } from './compression-plan.ts';
import type { Compressible } from './compressible.ts';
import type { DecideContext } from './decide-context.ts';

/**
 * Answers of `update-profile`: the lines that change. A line with a profile line among its sources rewords that
 * line; one that repeats a fact word for word turns that fact into a line; any other is new. A line is dropped only
 * when the answer lists it as out of date and it has no key: a newer value replaces keyed lines by itself.
 */
export function decideProfile({ step, reply, source, gone, refuse }: DecideContext): CompressionDecision[] {
  const byHash = new Map<string, Compressible>();
  for (const [index] of step.sources.entries()) {
    const memory = source(index + 1);
    if (memory !== undefined) byHash.set(memory.contentHash, memory);
  }
  const decisions: CompressionDecision[] = [];
  const touched = new Set<string>();
  for (const group of reply.groups) {
    const from = sourcesOf(group, source);
    const refusal = typeof from === 'string' ? from : refusalOfStatement(group, from);
    if (refusal !== null || typeof from === 'string' || group.text === null) {
      refuse(refusal ?? 'not_a_statement');
      continue;
    }
    const decision = decideLine(group.text, group.category, from, byHash);
    if (decision === null) continue;
    const target = decision.op === 'profile_add' ? null : decision.id;
    if (target !== null && (touched.has(target) || gone.has(target))) {
      refuse('used_twice');
      continue;
    }
    if (target !== null) touched.add(target);
    decisions.push(decision);
  }
  for (const number of new Set(reply.archive)) {
    const line = number <= step.lines ? source(number) : undefined;
    if (line === undefined || line.key !== null || touched.has(line.id) || gone.has(line.id)) {
      refuse('not_archivable');
      continue;
    }
    gone.add(line.id);
    decisions.push({ op: 'archive', id: line.id, reason: 'outdated' });
  }
  return decisions;
}

/** Null when the profile has the line already. */
function decideLine(
  text: string,
  category: string | null,
  from: readonly Compressible[],
  byHash: ReadonlyMap<string, Compressible>,
): Exclude<CompressionDecision, { op: 'compressed' | 'collapse' | 'merge' | 'fact' | 'archive' }> | null {
  const same = byHash.get(contentHash(text));
  if (same !== undefined) return same.tier === 1 ? null : { op: 'promote', id: same.id };
  const ids = from.map((memory) => memory.id);
  const line = from.find((memory) => memory.tier === 1 && memory.key === null && memory.kind !== 'qa');
  return line === undefined
    ? { op: 'profile_add', text, category, from: ids }
    : { op: 'profile_update', id: line.id, text, from: ids.filter((id) => id !== line.id) };
}
