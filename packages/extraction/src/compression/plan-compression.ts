import { findRepetitions } from './find-repetitions.ts';
import type { CompressionPlan, PlannedSource, PlanStep } from './compression-plan.ts';
import type { Compressible } from './compressible.ts';
import { partitionMemories, PARTITION_TOKENS, splitByTokens } from './partition-memories.ts';

/** Maximum of facts in the question about the profile, the most important first. */
const PROFILE_FACTS = 60;

function toSource({ id, contentHash }: Compressible): PlannedSource {
  return { id, hash: contentHash };
}

/** Their secrets stay as they were written: a merged text has none, and would take their place. */
function isCredential({ category }: Compressible): boolean {
  return category === 'credential';
}

/** Oldest first; UUIDv7 order for the same moment. */
function byTime(a: Compressible, b: Compressible): number {
  return a.statedAt.getTime() - b.statedAt.getTime() || (a.id < b.id ? -1 : 1);
}

/**
 * The plan of a daily run: events that are not compressed yet, without repetitions.
 *
 * @param asksModel false: rules only, which find repetitions and nothing else
 */
export function planDaily(events: readonly Compressible[], asksModel: boolean): CompressionPlan {
  const repetitions = findRepetitions(events);
  const dropped = new Set(repetitions.flatMap(({ from }) => from));
  const left = events.filter((event) => !dropped.has(event.id)).toSorted(byTime);
  const steps = asksModel
    ? splitByProject(left).map((run, index): PlanStep => ({
        name: `events-${index + 1}`,
        template: 'compress-events',
        project: run[0]?.project ?? null,
        topic: null,
        sources: run.map(toSource),
        lines: 0,
      }))
    : [];
  return { repetitions, steps, byRule: asksModel ? [] : left.map(toSource) };
}

/** The facts of a question belong to one project, so its events must too. */
function splitByProject(events: readonly Compressible[]): Compressible[][] {
  const projects = [...new Set(events.map((event) => event.project))];
  return projects.flatMap((project) => splitByTokens(events.filter((event) => event.project === project)));
}

export type WeeklyMaterial = Readonly<{
  /** Tier 2 memories that may be merged or dropped as repetitions; see `mergeable`. */
  knowledge: readonly Compressible[];
  /** Tier 1. */
  profile: readonly Compressible[];
  /** Tier 2 memories that may belong into the profile, the most important first. */
  important: readonly Compressible[];
  /** When the last weekly run of this user ended. Partitions without changes since then are skipped. */
  since: Date | null;
  asksModel: boolean;
}>;

/** The plan of a weekly run: partitions of knowledge with changes, and the profile. */
export function planWeekly({
  knowledge,
  profile,
  important,
  since,
  asksModel,
}: WeeklyMaterial): CompressionPlan {
  const repetitions = findRepetitions(knowledge);
  const dropped = new Set(repetitions.flatMap(({ from }) => from));
  if (!asksModel) return { repetitions, steps: [], byRule: [] };
  const isNew = (memory: Compressible): boolean => since === null || memory.updatedAt > since;
  const steps = partitionMemories(
    // Keyed facts are not merged: they are single already, and a newer value must find them.
    knowledge.filter((memory) => memory.key === null && !dropped.has(memory.id) && !isCredential(memory)),
  )
    .filter((partition) => partition.memories.some(isNew))
    .map(({ project, topic, memories }, index): PlanStep => ({
      name: `merge-${index + 1}`,
      template: 'merge-partition',
      project,
      topic,
      sources: memories.map(toSource),
      lines: 0,
    }));
  const facts = splitByTokens(
    important.filter((memory) => !dropped.has(memory.id) && !isCredential(memory)).slice(0, PROFILE_FACTS),
    PARTITION_TOKENS,
  )[0];
  const asked = [...profile.toSorted(byTime), ...(facts ?? [])];
  if (asked.some(isNew)) {
    steps.push({
      name: 'profile',
      template: 'update-profile',
      project: null,
      topic: null,
      sources: asked.map(toSource),
      lines: profile.length,
    });
  }
  return { repetitions, steps, byRule: [] };
}
