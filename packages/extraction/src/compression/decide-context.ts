import type { PlanStep } from './compression-plan.ts';
import type { Compressible } from './compressible.ts';
import type { GroupsReply } from './read-groups.ts';

/** The inputs of a step's decisions. */
export type DecideContext = Readonly<{
  step: PlanStep;
  reply: GroupsReply;
  /** The memory behind a number in the prompt; undefined when there is none, or its content has changed. */
  source: (number: number) => Compressible | undefined;
  /** Memories that an earlier decision drops. */
  gone: Set<string>;
  refuse: (reason: string) => void;
}>;
