import { z } from 'zod';
import { presetNameSchema } from './preset-name.ts';

const turns = z.int().min(0).max(1_000);
const unit = z.number().min(0).max(1);
const seconds = z
  .int()
  .min(0)
  .max(30 * 86_400);

/**
 * When a conversation is extracted, how much of it is kept, and what its chats get. Missing fields come from its
 * preset.
 */
export const policySchema = z
  .strictObject({
    preset: presetNameSchema.optional(),
    scope: z
      .enum(['incremental', 'ephemeral'])
      .optional()
      .describe(
        'incremental: everything since the last extraction; ephemeral: the last user message and its reply.',
      ),
    min_turns: turns.optional().describe('User messages that have to gather before the quiet gap counts.'),
    max_turns: turns
      .optional()
      .describe('User messages in one extraction at most, and due at once when reached. 0: any number.'),
    quiet_gap_s: seconds.optional().describe('Due this long after the last message. 0: at once.'),
    idle_timeout_s: seconds
      .optional()
      .describe('Due this long after the last message, however few there are. 0: off.'),
    token_cap: z
      .int()
      .min(0)
      .max(1_000_000)
      .optional()
      .describe('Due at this many estimated tokens. 0: off.'),
    max_entries: z
      .int()
      .min(0)
      .max(1_000_000)
      .optional()
      .describe(
        'Memories and turns of this conversation that are kept; the oldest of both leave: memories are archived, turns are not found any more. 0: all.',
      ),
    summaries: z.boolean().optional().describe('Whether the conversation has a rolling summary.'),
    top_k: z
      .int()
      .min(1)
      .max(200)
      .optional()
      .describe('Memories that a chat or context of this conversation gets.'),
    recency_weight: unit.optional().describe('Share of recency in their score.'),
    score_threshold: unit.optional().describe('Relevance below which they are left out.'),
    mmr_lambda: unit.optional().describe('Relevance against diversity; 1 turns diversity off.'),
    daily_flush: z.boolean().optional().describe('Due at DAILY_FLUSH_AT at the latest.'),
  })
  .describe(
    'When the conversation is extracted, how much is kept and what its chats get, where that differs from its preset.',
  );
export type Policy = z.infer<typeof policySchema>;

type TriggerRules = Pick<
  Policy,
  'scope' | 'min_turns' | 'max_turns' | 'quiet_gap_s' | 'idle_timeout_s' | 'token_cap' | 'daily_flush'
>;

/** A policy's rules of when, and whether replies are part of what is extracted. */
export type Trigger = Readonly<Required<TriggerRules> & { reads_replies: boolean }>;

/**
 * The deployment's defaults for conversations without rules of their own, in the form that the scheduling functions
 * of the database take.
 */
export type Schedule = Readonly<{
  /** Name of the deployment's preset. */
  preset: string;
  presets: Readonly<Record<string, Trigger>>;
  /** `HH:MM` in `time_zone`. */
  daily_flush_at: string;
  time_zone: string;
  /** A conversation that is idle for longer is extracted when its user starts another one. */
  stale_after_s: number;
}>;
