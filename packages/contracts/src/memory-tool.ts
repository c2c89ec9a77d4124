import { z } from 'zod';
import { skippedSchema } from './conversations.ts';
import { filledText, MAX_MEMORY_LENGTH, nameSchema, timestampSchema, userIdSchema } from './text.ts';

/** What an agent is told about the tool: when to use it, and when not (source D). */
export const MEMORY_TOOL_DESCRIPTION = `Long-term memory about the user, kept across conversations.
search: when the user mentions something personal (place, project, preference, recurring task), asks about something from before, or before you assume anything about them or their environment. Not at the start of every conversation, and not for general knowledge.
save: when the user tells you something lasting about themselves, or a tool shows it. Name a key for what has one current value (home, favourite_editor); a new value replaces the old one. Never passwords, keys or what only matters now.
forget: only when the user asks for it, or when a memory is plainly wrong.
list: all that is stored, newest first. When the answer has a next_cursor there is more: call list again with it as cursor.`;

const actions = ['save', 'search', 'forget', 'list'] as const;

/** The arguments of a call, flat, as function-calling models write them best. */
export const memoryToolArgumentsSchema = z.strictObject({
  action: z.enum(actions),
  key: filledText(256).optional().describe('save, forget: what the value is of, in snake_case.'),
  value: filledText(MAX_MEMORY_LENGTH).optional().describe('save: the value of the key.'),
  content: filledText(MAX_MEMORY_LENGTH)
    .optional()
    .describe('save: a statement, when there is no key for it.'),
  category: nameSchema.optional().describe('save, forget, list: for example identity, preference, project.'),
  query: filledText(4_000).optional().describe('search: what to look for, in words.'),
  source: z
    .enum(['tool', 'user', 'web', 'guess', 'conversation', 'tool_call', 'auto_discovery', 'user_explicit'])
    .optional()
    .describe('save: where it comes from; says how certain it is (tool 95, user 80, web 50, guess 30).'),
  confidence: z.int().min(0).max(100).optional().describe('save: instead of what the source says.'),
  expires_days: z.number().positive().max(36_500).optional().describe('save: forget it after so many days.'),
  source_context: filledText(2_000).optional().describe('save: the words it was taken from.'),
  limit: z
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe('search, list: most memories to return; default 15 for search, 100 for list.'),
  cursor: z.string().max(512).optional().describe('list: next_cursor of the answer before, to go on there.'),
});

const needs = [
  ['save', 'value', 'goes with key; without a key give content'],
  ['search', 'query', 'is needed to search'],
  ['forget', 'key', 'is needed to forget'],
] as const;

export const memoryToolRequestSchema = memoryToolArgumentsSchema
  .extend({ user_id: userIdSchema.optional() })
  .superRefine((call, context) => {
    const given: Readonly<Record<string, unknown>> = call;
    for (const [action, field, message] of needs) {
      const isGiven = given[field] !== undefined || (action === 'save' && call.content !== undefined);
      if (call.action === action && !isGiven) context.addIssue({ code: 'custom', path: [field], message });
    }
    if (call.action !== 'list' && call.cursor !== undefined) {
      context.addIssue({ code: 'custom', path: ['cursor'], message: 'goes with list' });
    }
    if (call.action === 'save' && call.value !== undefined && call.key === undefined) {
      context.addIssue({ code: 'custom', path: ['key'], message: 'goes with value' });
    }
  });
export type MemoryToolRequest = z.infer<typeof memoryToolRequestSchema>;

/** A memory as an agent needs it. */
const toolMemorySchema = z.object({
  id: z.uuid(),
  category: z.string(),
  key: z.string().nullable(),
  value: z.string().nullable(),
  content: z.string(),
  confidence: z.int(),
  source: z.string(),
  updated_at: timestampSchema,
  score: z.number().optional(),
});
export type ToolMemory = z.infer<typeof toolMemorySchema>;

export const memoryToolResponseSchema = z.object({
  action: z.enum(actions),
  user_id: z.string(),
  memory: toolMemorySchema.optional().describe('save'),
  memories: z.array(toolMemorySchema).optional().describe('search, list'),
  next_cursor: z.string().nullable().optional().describe('list: null when this was all.'),
  deleted: z.int().optional().describe('forget'),
  degraded: z.string().optional(),
  skipped: skippedSchema.optional(),
});
export type MemoryToolResponse = z.infer<typeof memoryToolResponseSchema>;

/** The function schema for chat APIs: `tools: [<this>]`. */
export const memoryToolDefinitionSchema = z.object({
  type: z.literal('function'),
  function: z.object({
    name: z.string(),
    description: z.string(),
    parameters: z.record(z.string(), z.json()),
  }),
});
