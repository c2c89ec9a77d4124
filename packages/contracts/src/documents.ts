import { z } from 'zod';
import {
  externalIdSchema,
  filledText,
  limitQuery,
  metadataInputSchema,
  metadataSchema,
  projectSchema,
  timestampSchema,
  userIdSchema,
} from './text.ts';

/** Longest document, in code points. */
export const MAX_DOCUMENT_LENGTH = 1_000_000;

export const putDocumentSchema = z
  .strictObject({
    id: externalIdSchema
      .optional()
      .describe(
        'Your own id. Posting it again replaces the document; the same content again changes nothing.',
      ),
    user_id: userIdSchema.optional(),
    title: filledText(512).optional(),
    content: filledText(MAX_DOCUMENT_LENGTH),
    conversation_id: externalIdSchema
      .optional()
      .describe('The conversation it is for, which is created when missing. Deleted together with it.'),
    project: projectSchema
      .optional()
      .describe('The project it is for. Without one and without a conversation it is for all of the user’s.'),
    metadata: metadataInputSchema.optional(),
  })
  .refine((input) => input.conversation_id === undefined || input.project === undefined, {
    path: ['project'],
    error: 'give conversation_id or project, not both',
  });
export type PutDocument = z.infer<typeof putDocumentSchema>;

/** A document as lists show it. */
export const documentSchema = z.object({
  id: z.string(),
  user_id: z.string(),
  title: z.string().nullable(),
  conversation_id: z.string().nullable(),
  project: z.string().nullable(),
  metadata: metadataSchema,
  characters: z.int(),
  chunks: z.int(),
  created_at: timestampSchema,
  updated_at: timestampSchema,
});
export type Document = z.infer<typeof documentSchema>;

export const documentWithContentSchema = documentSchema.extend({ content: z.string() });
export type DocumentWithContent = z.infer<typeof documentWithContentSchema>;

export const listDocumentsQuerySchema = z.strictObject({
  user_id: userIdSchema.optional(),
  conversation_id: externalIdSchema.optional(),
  project: projectSchema.optional(),
  limit: limitQuery(200, 50),
  cursor: z.string().max(512).optional(),
});
