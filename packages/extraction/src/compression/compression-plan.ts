import type { Collapse } from './collapse-duplicates.ts';

/** The questions that compression asks a model, by the names of their prompt templates. */
export type CompressionTemplate = 'compress-events' | 'merge-partition' | 'update-profile';

/** A memory that a question shows, and what it said then. Its number in the prompt is its place from 1. */
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
  /** Of `update-profile`: so many of the first sources are lines of the profile, the others facts. */
  lines: number;
}>;

/**
 * What a run is about, fixed when it begins: it names memories, it does not quote them. A run that another worker
 * takes over goes on with the same plan, so that answers which are there already fit their questions.
 */
export type CompressionPlan = Readonly<{
  collapses: readonly Collapse[];
  steps: readonly PlanStep[];
  /** Events that are compressed without a model: nothing but their repetitions go. */
  byRule: readonly PlannedSource[];
}>;

/** One change that a run makes. Ids are those of memories. */
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

/** What a plan with its answers comes to. */
export type CompressionOutcome = Readonly<{
  decisions: readonly CompressionDecision[];
  /** Groups of the answers that were refused, by reason. */
  refused: Readonly<Record<string, number>>;
}>;
