import { z } from 'zod';
import { presetNameSchema } from './preset-name.ts';

const turns = z.int().min(0).max(1_000);
const seconds = z
  .int()
  .min(0)
  .max(30 * 86_400);

/** When a conversation is extracted, and how much of it is kept. Missing fields come from its preset. */
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
      .describe('Memories out of this conversation that stay current; the oldest are archived. 0: all.'),
    daily_flush: z.boolean().optional().describe('Due at DAILY_FLUSH_AT at the latest.'),
  })
  .describe('When the conversation is extracted and how much is kept, where that differs from its preset.');
export type Policy = z.infer<typeof policySchema>;

/** All of a policy's rules, and whether replies are part of what is extracted. */
export type Trigger = Readonly<Required<Omit<Policy, 'preset' | 'max_entries'>> & { reads_replies: boolean }>;

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
