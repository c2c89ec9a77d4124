import { z } from 'zod';
import { boundedArray } from './bounded-array.ts';
import { skippedSchema } from './conversations.ts';
import { memorySchema } from './memories.ts';
import { presetNameSchema } from './preset-name.ts';
import { searchExplanationSchema, searchRequestSchema } from './search.ts';
import {
  externalIdSchema,
  filledText,
  jsonSchema,
  MAX_CONTENT_LENGTH,
  projectSchema,
  userIdSchema,
} from './text.ts';

export const contextFormatSchema = z
  .enum(['facts', 'section', 'summary', 'augmented', 'messages', 'preset'])
  .describe(
    'facts: `[facts: …]` and `[context: …]` to go after a message; section: `## Relevant memory`; summary: the user’s narrative; augmented: the message with what is remembered before it; messages: yours, with what is remembered as a system message; preset: what the preset puts into a chat, as `blocks` with their places.',
  );
export type ContextFormatName = z.infer<typeof contextFormatSchema>;

/** Where a text goes in a chat. */
export const contextPlaceSchema = z
  .enum(['system', 'message', 'postfix'])
  .describe(
    'system: a system message of its own, after those at the beginning; message: instead of the text of the last user message, which it contains; postfix: on a line of its own behind that text.',
  );
export type ContextPlace = z.infer<typeof contextPlaceSchema>;

/** A message as chat APIs have it; only role and content are looked at, all of it comes back. */
const chatMessageSchema = z.looseObject({ role: z.string().min(1).max(64), content: jsonSchema.optional() });

export const contextRequestSchema = z
  .strictObject({
    query: filledText(MAX_CONTENT_LENGTH)
      .optional()
      .describe('What the user says now. Left out: the last user message of `messages`.'),
    format: contextFormatSchema.default('section'),
    preset: presetNameSchema
      .optional()
      .describe(
        'How memories are found and, with the format `preset`, what goes into a chat. Default: the preset of the conversation, of the API key, of the deployment.',
      ),
    messages: boundedArray(chatMessageSchema).min(1).max(500).optional(),
    token_budget: z
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .describe(
        'The text keeps within it, by Factmill’s estimate. With `messages` it is that of the system message. `augmented` keeps the message whole, however long it is.',
      ),
    user_id: userIdSchema.optional(),
    conversation_id: externalIdSchema
      .optional()
      .describe('Whose rolling summary goes into `augmented`, and whose policy counts.'),
    turn_id: externalIdSchema
      .optional()
      .describe(
        'The id of the user’s message in that conversation, where it is stored there already. What was learned from it alone is left out: it says nothing that the message does not. Messages whose ids begin with it and a dot belong to it.',
      ),
    project: projectSchema.optional(),
    limit: z
      .int()
      .min(1)
      .max(200)
      .optional()
      .describe('Default: `top_k` of the conversation’s policy, MEMORY_TOP_K, 5.'),
    mode: searchRequestSchema.shape.mode.optional(),
    filters: searchRequestSchema.shape.filters,
    recency_weight: z.number().min(0).max(1).optional(),
    mmr_lambda: z.number().min(0).max(1).optional(),
    min_relevance: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe(
        'Relevance below which a memory is left out: a reranker’s, or without one the cosine similarity.',
      ),
    include_turns: z
      .boolean()
      .optional()
      .describe(
        'Earlier turns compete with memories, less those in `messages`: with `true` those of the conversation, without it those that a search finds by default.',
      ),
    gate: z
      .boolean()
      .optional()
      .describe(
        'Whether acknowledgements, code and chatter go without memories but the profile. Default: as the preset does; `standard` does.',
      ),
    explain: z
      .boolean()
      .default(false)
      .describe('Show what the gate said, what was searched for, and what became of each candidate.'),
  })
  .refine((request) => request.query !== undefined || request.messages !== undefined, {
    path: ['query'],
    error: 'give query, or messages with a user message in them',
  })
  .refine((request) => !request.include_turns || request.conversation_id !== undefined, {
    path: ['include_turns'],
    error: 'goes with conversation_id',
  })
  .refine((request) => request.turn_id === undefined || request.conversation_id !== undefined, {
    path: ['turn_id'],
    error: 'goes with conversation_id',
  })
  .refine((request) => request.format !== 'messages' || request.messages !== undefined, {
    path: ['messages'],
    error: 'goes with the format messages',
  });
export type ContextRequest = z.infer<typeof contextRequestSchema>;

/** Why a context has what it has. */
export const contextExplanationSchema = z.object({
  gate: z
    .object({ retrieve: z.boolean(), reason: z.string() })
    .describe('Whether the message is worth a search, and what it was taken for.'),
  gate_applies: z.boolean().describe('False: nothing was held back, whatever the gate said.'),
  query: z
    .string()
    .nullable()
    .describe('What was searched for; null when nothing was, because all memories fit or none were wanted.'),
  search: searchExplanationSchema.nullable(),
});
export type ContextExplanation = z.infer<typeof contextExplanationSchema>;

export const contextResponseSchema = z.object({
  format: contextFormatSchema,
  user_id: z.string(),
  text: z.string().optional().describe('Empty when nothing is remembered (`augmented`: the message alone).'),
  messages: z.array(chatMessageSchema).optional(),
  blocks: z
    .array(z.object({ place: contextPlaceSchema, text: z.string() }))
    .optional()
    .describe('With the format `preset`: what goes into the chat; empty when nothing is remembered.'),
  memories: z
    .array(z.object({ memory: memorySchema, score: z.number(), role: z.string() }))
    .describe(
      'Those in the text, most relevant first, after the profile; role is the kind, or whose turn it is.',
    ),
  profile: z.array(memorySchema).describe('The core profile (tier 1), which is always in the text.'),
  tokens: z.int().describe('Estimated tokens of the text.'),
  gated: z.boolean().optional().describe('The message needs no memories, so none were looked for.'),
  degraded: z.string().optional().describe('What was left out and why.'),
  explain: contextExplanationSchema.optional(),
  skipped: skippedSchema.optional(),
});
export type ContextResponse = z.infer<typeof contextResponseSchema>;
