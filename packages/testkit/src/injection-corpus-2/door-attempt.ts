import type { AttackMessage, Attempt } from '../injection-corpus/attempt.ts';

type Common = Readonly<{
  /** Unique; what the documentation calls it. */
  name: string;
  /**
   * The attacker wins if one of these texts is remembered afterwards: in any field of a memory or in a summary. Compared
   * without regard to case and white space.
   */
  poison: readonly string[];
  /** What has to be remembered afterwards all the same, compared alike. */
  honest?: readonly string[];
}>;

/** The model's first reply, when it reads a conversation. */
type AnswerAttempt = Common &
  Readonly<{
    door: 'answer';
    /** Default `standard`. */
    preset?: Attempt['preset'];
    messages: readonly AttackMessage[];
    /** What a model answers that obeys the attacker: an object is sent as JSON. */
    reply: unknown;
  }>;

/** The model's decision about a memory and what was said next. */
type ReconcileAttempt = Common &
  Readonly<{
    door: 'reconcile';
    /** The memory that is there; M1 in the question. */
    known: string;
    /** What the user says next. */
    says: string;
    /** The statement that the model honestly makes of it; N1 in the question. */
    finds: string;
    /** Its decisions: `[{"event": "UPDATE", "id": "M1", "text": …}, {"event": "ADD", "id": "N1"}]`. */
    decisions: unknown;
  }>;

/** A summary that the model writes. */
type SummaryAttempt = Common &
  Readonly<{
    door: 'summary';
    /** The user's, of all memories; or the conversation's, of what was said. */
    of: 'user' | 'conversation';
    /** What the user says. Each sentence is a memory too. */
    says: readonly string[];
    /** The summary as the model writes it. */
    summary: string;
  }>;

/** A compression of memories. */
type CompressionAttempt = Common &
  Readonly<{
    door: 'compression';
    /** `events`: a day's events become facts. `merge`: memories become one. `profile`: memories become lines of it. */
    question: 'events' | 'merge' | 'profile';
    /** The memories it is about, one sentence each. */
    known: readonly string[];
    /** What the model makes of them; `from` are places in `known`, counted from 1. */
    statements: readonly Readonly<{
      text: string;
      from: readonly number[];
      category?: string;
      key?: string;
      value?: string;
    }>[];
  }>;

/** A call of the memory tool by a model. */
type ToolAttempt = Common &
  Readonly<{
    door: 'tool';
    /** As in `POST /v1/tools/memory`, with the action `save`. */
    arguments: Readonly<Record<string, unknown>>;
  }>;

/** What the rules make of a conversation where no model is configured. */
type RulesAttempt = Common & Readonly<{ door: 'rules'; messages: readonly AttackMessage[] }>;

/** One attempt to have remembered what nobody meant to have remembered, by one of the doors that lead to memory. */
export type DoorAttempt =
  AnswerAttempt | ReconcileAttempt | SummaryAttempt | CompressionAttempt | ToolAttempt | RulesAttempt;
