import type { Conversation, Question } from './conversations.ts';

export const CUTS = [5, 10, 20] as const;
export const LIMIT = Math.max(...CUTS);

/** Recall of one question: shares of its evidence, 0 to 1. */
export type Answered = Readonly<{
  conversation: string;
  category: string;
  /** Within the first 5, 10 and 20 results: of the turns, and of their sessions. */
  turns: readonly number[];
  sessions: readonly number[];
  /** Over everything stored: an upper bound for any search. */
  ceiling: number;
  /** 0 for baselines. */
  searchMs: number;
}>;

/**
 * Scores ranked results, each given as its source turns.
 *
 * @param everything the source turns of everything stored
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
