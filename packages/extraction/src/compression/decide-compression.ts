import type {
  CompressionDecision,
  CompressionOutcome,
  CompressionPlan,
  PlanStep,
} from './compression-plan.ts';
import type { Compressible } from './compressible.ts';
import type { DecideContext } from './decide-context.ts';
import { decideFacts } from './decide-facts.ts';
import { decideMerges } from './decide-merges.ts';
import { decideProfile } from './decide-profile.ts';
import { readGroups } from './read-groups.ts';

const DECIDERS: Readonly<Record<PlanStep['template'], (context: DecideContext) => CompressionDecision[]>> = {
  'compress-events': decideFacts,
  'merge-partition': decideMerges,
  'update-profile': decideProfile,
};

/**
 * The decisions that follow from a plan, the model's answers and the current memories. Deterministic, and safe
 * whatever the answers say:
 * - exactly one decision names a memory that goes, and also names what it goes into (except `archive`)
 * - no decision concerns a memory that has changed or ended since the plan was made
 * - a memory that no decision names stays
 *
 * @param input.current current memories by id
 * @param input.answers raw replies by the name of their step; steps without one decide nothing
 * @param input.faded ids of memories to archive by age; those that go into another memory go there instead
 */
export function decideCompression(input: {
  plan: CompressionPlan;
  answers: ReadonlyMap<string, string>;
  current: ReadonlyMap<string, Compressible>;
  faded: readonly string[];
}): CompressionOutcome {
  const { plan, answers, current } = input;
  const refused: Record<string, number> = {};
  const gone = new Set<string>();
  const refuse = (reason: string): void => {
    refused[reason] = (refused[reason] ?? 0) + 1;
  };
  const decisions: CompressionDecision[] = [];
  for (const { into, from } of plan.repetitions) {
    const left = from.filter((id) => current.has(id) && !gone.has(id));
    if (!current.has(into) || gone.has(into) || left.length === 0) continue;
    decisions.push({ op: 'collapse', into, from: left });
    for (const id of left) gone.add(id);
  }
  for (const step of plan.steps) {
    const raw = answers.get(step.name);
    if (raw === undefined) continue;
    const source = (number: number): Compressible | undefined => {
      const planned = step.sources[number - 1];
      const memory = planned === undefined ? undefined : current.get(planned.id);
      return memory === undefined || memory.contentHash !== planned?.hash ? undefined : memory;
    };
    decisions.push(...DECIDERS[step.template]({ step, reply: readGroups(raw), source, gone, refuse }));
  }
  const byRule = plan.byRule.map(({ id }) => id).filter((id) => current.has(id) && !gone.has(id));
  if (byRule.length > 0) decisions.push({ op: 'compressed', ids: byRule });
  const held = new Set(decisions.flatMap(keptBy));
  for (const id of input.faded) {
    if (!current.has(id) || gone.has(id) || held.has(id)) continue;
    decisions.push({ op: 'archive', id, reason: 'faded' });
    gone.add(id);
  }
  return { decisions, refused };
}

/** Memories that a decision requires to stay. */
function keptBy(decision: CompressionDecision): readonly string[] {
  if (decision.op === 'collapse') return [decision.into];
  return decision.op === 'profile_update' || decision.op === 'promote' ? [decision.id] : [];
}
