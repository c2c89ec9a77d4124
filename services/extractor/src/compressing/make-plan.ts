import {
  lastWeeklyRunAt,
  listKnowledge,
  listUncompressedEvents,
  type RunClaim,
  type Sql,
} from '@factmill/database';
import { type CompressionPlan, planDaily, planWeekly } from '@factmill/extraction';
import { decayedScore, FADING_CATEGORIES } from '@factmill/ranking';

/** Events per run; the next run covers the rest. */
const EVENTS_PER_RUN = 2_000;

/** Maximum of memories per weekly run, most recently changed first: more would take hours of model time. */
const KNOWLEDGE_PER_RUN = 5_000;

/** Less important facts do not enter a profile. Default importance is 0.7 for keyed facts and 0.5 for the rest. */
const MIN_PROFILE_IMPORTANCE = 0.6;

const FADING: ReadonlySet<string> = new Set(FADING_CATEGORIES);

export type MakePlanDeps = Readonly<{
  database: Sql;
  /** False when no model is configured. */
  asksModel: boolean;
  now: () => Date;
}>;

/** Plans a run from a user's memories. Changes nothing. */
export function createMakePlan({ database, asksModel, now }: MakePlanDeps) {
  return async function makePlan(claim: RunClaim): Promise<CompressionPlan> {
    if (claim.kind === 'daily') {
      return planDaily(
        await listUncompressedEvents(database, { ...claim, limit: EVENTS_PER_RUN }),
        asksModel,
      );
    }
    const at = now().getTime();
    const memories = await listKnowledge(database, { ...claim, limit: KNOWLEDGE_PER_RUN });
    const lasting = memories.filter((memory) => !FADING.has(memory.category));
    const score = ({ category, importance, statedAt }: (typeof memories)[number]): number =>
      decayedScore({ category, importance, ageMs: at - statedAt.getTime() });
    const knowledge = lasting.filter((memory) => memory.tier === 2);
    return planWeekly({
      knowledge,
      profile: lasting.filter((memory) => memory.tier === 1),
      important: knowledge
        .filter((memory) => memory.importance >= MIN_PROFILE_IMPORTANCE)
        .toSorted((a, b) => score(b) - score(a)),
      since: await lastWeeklyRunAt(database, claim),
      asksModel,
    });
  };
}
