import type { Repetition } from './find-repetitions.ts';

/** The questions of compression, by the names of their prompt templates. */
export type CompressionTemplate = 'compress-events' | 'merge-partition' | 'update-profile';

/** A memory in a question, with the hash of its content then. Its number in the prompt is its position, from 1. */
export type PlannedSource = Readonly<{
  id: string;
  /** Hash of its content. */
  hash: string;
}>;

export type PlanStep = Readonly<{
  /** Unique in its plan. */
  name: string;
  template: CompressionTemplate;
  project: string | null;
  topic: string | null;
  sources: readonly PlannedSource[];
  /** For `update-profile`: how many of the first sources are lines of the profile; the others are facts. */
  lines: number;
}>;

/**
 * The plan of a run, fixed when it begins. It names memories and quotes none. A worker that takes over the run uses
 * the same plan, so that pinned answers fit their questions.
 */
export type CompressionPlan = Readonly<{
  repetitions: readonly Repetition[];
  steps: readonly PlanStep[];
  /** Events that are compressed without a model: only repetitions are dropped. */
  byRule: readonly PlannedSource[];
}>;

/** One change of a run. All ids are memory ids. */
export type CompressionDecision =
  | Readonly<{
      op: 'fact';
      text: string;
      key: string | null;
      value: string | null;
      category: string | null;
      from: readonly string[];
    }>
  | Readonly<{
      op: 'merge';
      text: string;
      project: string | null;
      topic: string | null;
      from: readonly string[];
    }>
  | Readonly<{ op: 'collapse'; into: string; from: readonly string[] }>
  | Readonly<{ op: 'profile_add'; text: string; category: string | null; from: readonly string[] }>
  | Readonly<{ op: 'profile_update'; id: string; text: string; from: readonly string[] }>
  | Readonly<{ op: 'promote'; id: string }>
  | Readonly<{ op: 'archive'; id: string; reason: 'faded' | 'outdated' }>
  | Readonly<{ op: 'compressed'; ids: readonly string[] }>;

/** The result of a plan with its answers. */
export type CompressionOutcome = Readonly<{
  decisions: readonly CompressionDecision[];
  /** Refused groups of the answers, by reason. */
  refused: Readonly<Record<string, number>>;
}>;
