import type { PlanStep } from './compression-plan.ts';
import type { Compressible } from './compressible.ts';
import type { GroupsReply } from './read-groups.ts';

/** What a step's decisions may look at and take. */
export type DecideContext = Readonly<{
  step: PlanStep;
  reply: GroupsReply;
  /** The memory that a number in the prompt means; undefined when there is none, or it no longer says what it said. */
  source: (number: number) => Compressible | undefined;
  /** Memories that a decision has done away with already. */
  gone: Set<string>;
  refuse: (reason: string) => void;
}>;
