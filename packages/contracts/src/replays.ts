import { z } from 'zod';
import { extractionErrorSchema } from './extractions.ts';
import { memorySchema } from './memories.ts';
import { presetNameSchema } from './preset-name.ts';
import {
  booleanQuerySchema,
  limitQuery,
  nameSchema,
  text,
  timestampSchema,
  userIdSchema,
  uuidSchema,
} from './text.ts';

const ALL_USERS = 'Of every user of the tenant; needs memory.read_all.';
const MAX_PROMPT_CHARACTERS = 50_000;

/** In place of a model’s name: extraction by rules. */
export const RULES_MODEL = 'extractive';

export const startReplaySchema = z
  .strictObject({
    user_id: userIdSchema.optional(),
    all_users: z.boolean().optional().describe(ALL_USERS),
    since: timestampSchema.optional().describe('Extractions that were accepted from then on.'),
    until: timestampSchema.optional().describe('And before then.'),
    preset: presetNameSchema.optional().describe('In place of the preset of each extraction.'),
    model: nameSchema
      .optional()
      .describe(
        `In place of LLM_MODEL, at the same endpoint. \`${RULES_MODEL}\`: the rules, without a model.`,
      ),
    prompt: text(MAX_PROMPT_CHARACTERS)
      .optional()
      .describe('A prompt template in place of the preset’s, as a file of PROMPTS_DIR has it.'),
    dry_run: z.boolean().default(false).describe('Only estimate, and extract nothing.'),
  })
  .refine(({ prompt, preset }) => prompt === undefined || preset !== undefined, {
    path: ['preset'],
    error: 'goes with prompt: its replies are read as those of this preset',
  });

export const replayEstimateSchema = z.object({
  extractions: z.int().min(0),
  users: z.int().min(0),
  messages: z.int().min(0),
  model: z.string().nullable().describe(`Whom it asks; \`${RULES_MODEL}\`: nobody, the rules extract.`),
  model_calls: z.int().min(0).describe('One for each extraction; reconciling may add some.'),
  prompt_tokens: z
    .int()
    .min(0)
    .describe('What the same extractions took, where a model was paid for them; else by their messages.'),
  completion_tokens: z.int().min(0),
  cost: z.number().nullable().describe('In the unit of MODEL_PRICES; null for a model without a price.'),
});
export type ReplayEstimate = z.infer<typeof replayEstimateSchema>;

export const replayStateSchema = z.enum([
  'estimated',
  'running',
  'done',
  'applying',
  'applied',
  'undoing',
  'undone',
  'discarded',
]);
export type ReplayState = z.infer<typeof replayStateSchema>;

export const replaySchema = z.object({
  id: uuidSchema.nullable().describe('Null for a dry run.'),
  state: replayStateSchema,
  user_id: z.string().nullable().describe('Null: all users.'),
  since: timestampSchema.nullable(),
  until: timestampSchema.nullable(),
  preset: presetNameSchema.nullable(),
  model: z.string().nullable(),
  own_prompt: z.boolean().describe('Whether it has a prompt template of its own.'),
  estimate: replayEstimateSchema,
  progress: z
    .object({ runs: z.int(), done: z.int(), failed: z.int() })
    .describe('Extractions; while it is applied or undone, users.'),
  deferred_until: timestampSchema
    .nullable()
    .describe(
      'Until when it waits because a budget is used up; it goes on at once when the budget is raised.',
    ),
  reason: z.string().nullable().describe('Which budget: `budget_tokens_day`, for example.'),
  error: extractionErrorSchema.nullable().describe('Of a run that has failed, or will be tried again.'),
  usage: z.object({ model_calls: z.int(), prompt_tokens: z.int(), completion_tokens: z.int() }),
  created_at: timestampSchema,
  finished_at: timestampSchema.nullable(),
});
export type Replay = z.infer<typeof replaySchema>;

export const listReplaysQuerySchema = z.strictObject({
  user_id: userIdSchema.optional(),
  all_users: booleanQuerySchema.optional().describe(ALL_USERS),
  limit: limitQuery(100, 20),
  cursor: z.string().max(512).optional(),
});

/** What a replay makes of a memory. */
export const REPLAY_CHANGES = ['added', 'changed', 'gone', 'same'] as const;
export type ReplayChange = (typeof REPLAY_CHANGES)[number];

export const replayDiffQuerySchema = z.strictObject({
  change: z.enum(REPLAY_CHANGES).optional().describe('Only these; all but `same` when left out.'),
  format: z.enum(['json', 'text']).default('json').describe('`text`: lines to read.'),
  limit: limitQuery(500, 100),
  cursor: z.string().max(1_024).optional(),
});

export const replayDiffItemSchema = z.object({
  change: z.enum(REPLAY_CHANGES),
  user_id: z.string(),
  fields: z.array(z.string()).describe('Which differ, of a changed one.'),
  before: memorySchema.nullable().describe('What is served; null for an added one.'),
  after: memorySchema.nullable().describe('What the shadow has; null for one that is gone.'),
});
export type ReplayDiffItem = z.infer<typeof replayDiffItemSchema>;

export const replayDiffSchema = z.object({
  counts: z.object({ added: z.int(), changed: z.int(), gone: z.int(), same: z.int() }),
  data: z.array(replayDiffItemSchema),
  next_cursor: z.string().nullable(),
});
export type ReplayDiff = z.infer<typeof replayDiffSchema>;
