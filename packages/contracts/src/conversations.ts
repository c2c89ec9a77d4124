import { z } from 'zod';
import { boundedArray } from './bounded-array.ts';
import {
  booleanQuerySchema,
  externalIdSchema,
  filledText,
  jsonSchema,
  limitQuery,
  MAX_CONTENT_LENGTH,
  MAX_MESSAGES_PER_REQUEST,
  MAX_TOOL_CALL_BYTES,
  metadataInputSchema,
  metadataSchema,
  nameSchema,
  projectSchema,
  smallObject,
  text,
  timestampSchema,
  userIdSchema,
} from './text.ts';
import { extractionStateSchema } from './extraction-state.ts';
import { policySchema } from './policy.ts';

export const roleSchema = z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']);
export type Role = z.infer<typeof roleSchema>;

const toolCallSchema = smallObject(
  z.looseObject({ id: z.string().max(256).optional() }),
  MAX_TOOL_CALL_BYTES,
);

export const messageInputSchema = z
  .strictObject({
    id: externalIdSchema
      .optional()
      .describe(
        'Your own id, unique in the conversation. The same message again stores nothing new; another one with it is a 409.',
      ),
    role: roleSchema,
    content: text(MAX_CONTENT_LENGTH).nullable(),
    name: nameSchema.optional().describe('Who is speaking, when several people share the role.'),
    channel: nameSchema
      .optional()
      .describe(
        'Where it was said, for example mail or telegram. Memories have it when all of their messages do.',
      ),
    sender: externalIdSchema
      .optional()
      .describe('Who sent it, by their id in that channel. As with channel.'),
    tool_calls: boundedArray(toolCallSchema).max(128).optional(),
    tool_call_id: text(256).optional(),
    created_at: timestampSchema
      .optional()
      .describe('When it was said. Relative dates such as “yesterday” are resolved against it.'),
  })
  .refine((message) => message.content !== null || (message.tool_calls?.length ?? 0) > 0, {
    path: ['content'],
    error: 'must be text unless the message has tool_calls',
  });
export type MessageInput = z.infer<typeof messageInputSchema>;

export const messagesInputSchema = boundedArray(messageInputSchema)
  .min(1)
  .max(MAX_MESSAGES_PER_REQUEST)
  .refine(
    (messages) => {
      const ids = messages.flatMap((message) => (message.id === undefined ? [] : [message.id]));
      return new Set(ids).size === ids.length;
    },
    { error: 'must not contain the same id twice' },
  );

export const extractModeSchema = z
  .enum(['auto', 'now', 'never'])
  .describe(
    'auto: when the conversation’s policy says so; now: everything that is stored and not yet scheduled; never: only store.',
  );

export const createConversationSchema = z.strictObject({
  id: externalIdSchema.optional(),
  user_id: userIdSchema.optional(),
  project: projectSchema.optional(),
  title: filledText(512).optional(),
  policy: policySchema.optional(),
  metadata: metadataInputSchema.optional(),
});

export const patchConversationSchema = z.strictObject({
  user_id: userIdSchema.optional(),
  project: projectSchema.nullable().optional(),
  title: filledText(512).nullable().optional(),
  policy: policySchema.optional().describe('Replaces the whole policy; what waits is due by the new one.'),
  metadata: metadataInputSchema.optional().describe('Replaces the whole object.'),
});

export const postMessagesSchema = z.strictObject({
  messages: messagesInputSchema,
  user_id: userIdSchema.optional(),
  extract: extractModeSchema.default('auto'),
  regenerated: z.boolean().default(false).describe('The last assistant reply is replaced by this one.'),
});

export const flushSchema = z.strictObject({ user_id: userIdSchema.optional() });

export const partIdsSchema = z
  .array(z.uuid())
  .describe('All extractions in their order, when max_turns made several of it; `id` is the last one’s.');

const extractionRefSchema = z
  .object({ id: z.uuid(), state: extractionStateSchema, part_ids: partIdsSchema.optional() })
  .nullable();

/** Present when the user could not be determined: nothing was stored, and this says what to do. */
export const skippedSchema = z.object({ reason: z.enum(['unknown_user', 'memory_off']), detail: z.string() });
/**
 * What an answer has when nobody says whose memory it is, or memory is off for them; the fields of its own are empty, or
 * not there.
 */
export const skippedAnswerSchema = z.object({ user_id: z.string(), skipped: skippedSchema });

export const acceptedMessagesSchema = z.object({
  conversation_id: z.string(),
  user_id: z.string(),
  message_ids: z.array(z.string()),
  extraction: extractionRefSchema,
  skipped: skippedSchema.optional(),
});
export type AcceptedMessages = z.infer<typeof acceptedMessagesSchema>;

export const conversationSchema = z.object({
  id: z.string(),
  user_id: z.string(),
  project: z.string().nullable(),
  title: z.string().nullable(),
  policy: policySchema,
  metadata: metadataSchema,
  message_count: z.int(),
  created_at: timestampSchema,
  last_active_at: timestampSchema,
  extracted_at: timestampSchema.nullable(),
  extracted_seq: z.int(),
  extraction_due_at: timestampSchema
    .nullable()
    .describe('When what waits is extracted; null when nothing waits or nothing but a request will do it.'),
});
export type Conversation = z.infer<typeof conversationSchema>;

export const messageSchema = z.object({
  id: z.string(),
  seq: z.int(),
  role: roleSchema,
  content: z.string().nullable(),
  name: z.string().nullable(),
  channel: z.string().nullable(),
  sender: z.string().nullable(),
  tool_calls: z.array(jsonSchema).nullable(),
  tool_call_id: z.string().nullable(),
  superseded: z.boolean(),
  removed_at: timestampSchema
    .nullable()
    .describe('When retention took everything out of it but its id, role and time.'),
  created_at: timestampSchema,
});
export type Message = z.infer<typeof messageSchema>;

export const listConversationsQuerySchema = z.strictObject({
  user_id: userIdSchema.optional(),
  project: projectSchema.optional(),
  limit: limitQuery(200, 50),
  cursor: z.string().max(512).optional(),
});

export const listMessagesQuerySchema = z.strictObject({
  user_id: userIdSchema.optional(),
  superseded: booleanQuerySchema.optional(),
  limit: limitQuery(500, 100),
  cursor: z.string().max(512).optional(),
});

export const userQuerySchema = z.strictObject({ user_id: userIdSchema.optional() });
export const deleteQuerySchema = userQuerySchema.extend({
  purge: booleanQuerySchema
    .optional()
    .describe(
      'For good, with everything that quotes it. Of a conversation also the memories that were made from it.',
    ),
});
