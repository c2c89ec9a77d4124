import {
  lastWeeklyRunAt,
  listKnowledge,
  listUncompressedEvents,
  type RunClaim,
  type Sql,
} from '@factmill/database';
import { type CompressionPlan, planDaily, planWeekly } from '@factmill/extraction';
import { decayedScore, FADING_CATEGORIES } from '@factmill/ranking';

/** Events in one run; what is left is taken up by the next. */
const EVENTS_PER_RUN = 2_000;

/** Memories that a weekly run looks at, those changed last first: above it a run would take hours of model time. */
const KNOWLEDGE_PER_RUN = 5_000;

/** Less important facts are no lines of a profile; keyed facts have 0.7 unless told, everything else 0.5. */
const MIN_PROFILE_IMPORTANCE = 0.6;

const FADING: ReadonlySet<string> = new Set(FADING_CATEGORIES);

export type MakePlanDeps = Readonly<{
  database: Sql;
  /** False when no model is configured. */
  asksModel: boolean;
  now: () => Date;
}>;

/** Looks at a user's memories and says what a run is about. Changes nothing. */
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
