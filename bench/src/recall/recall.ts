import type { Conversation, Question } from './conversations.ts';

export const CUTS = [5, 10, 20] as const;
export const LIMIT = Math.max(...CUTS);

/** What one question brought: shares of its evidence, 0 to 1. */
export type Answered = Readonly<{
  conversation: string;
  category: string;
  /** By the first 5, 10 and 20 results: of the turns, and of the sessions that they stand in. */
  turns: readonly number[];
  sessions: readonly number[];
  /** By everything that is stored: no search can find more. */
  ceiling: number;
  /** 0 for baselines. */
  searchMs: number;
}>;

/**
 * Rates ranked results, each given as the turns that it rests on.
 *
 * @param everything the turns that anything stored rests on
 */
export function rateAnswer(
  conversation: Conversation,
  { category, evidence }: Question,
  ranked: readonly (readonly string[])[],
  everything: ReadonlySet<string>,
  searchMs = 0,
): Answered {
  const sessionOf = sessionsOf(conversation);
  const evidenceSessions = evidence.map(sessionOf);
  const upTo = (cut: number) => ranked.slice(0, cut).flat();
  return {
    conversation: conversation.name,
    category,
    turns: CUTS.map((cut) => shareOf(evidence, new Set(upTo(cut)))),
    sessions: CUTS.map((cut) => shareOf(evidenceSessions, new Set(upTo(cut).map(sessionOf)))),
    ceiling: shareOf(evidence, everything),
    searchMs,
  };
}

function sessionsOf({ sessions }: Conversation): (turnId: string) => string {
  const numbers = new Map(sessions.flatMap(({ turns }, at) => turns.map(({ id }) => [id, String(at)])));
  return (turnId) => numbers.get(turnId) ?? '';
}

function shareOf(wanted: readonly string[], covered: ReadonlySet<string>): number {
  const each = [...new Set(wanted)];
  return each.filter((one) => covered.has(one)).length / each.length;
}
