import { z } from 'zod';
import { presetNameSchema } from './preset-name.ts';
import { limitQuery, MAX_USER_ID_LENGTH, text, timestampSchema, uuidSchema } from './text.ts';

export const erasureSchema = z.object({
  id: uuidSchema,
  state: z
    .enum(['pending', 'done'])
    .describe('`done`: nothing of the user is left but this receipt, and backups made before.'),
  requested_at: timestampSchema,
  finished_at: timestampSchema.nullable(),
  user_sha256: z
    .string()
    .describe('SHA-256 (hex) of this receipt’s id, a space, and the id of the user, whom it does not name.'),
  counts: z
    .record(z.string(), z.int().min(0))
    .describe('Deleted so far, by table. What hangs on a row, such as its vectors, is not counted.'),
});
export type ErasureReceipt = z.infer<typeof erasureSchema>;

/** Why nothing was stored or looked up of a user whose memory is off. */
export const MEMORY_OFF = {
  reason: 'memory_off',
  detail:
    'Memory is off for this user, so nothing was stored or looked up. PATCH /v1/users/{id} turns it on.',
} as const;

const RETENTION_MAX_DAYS = 36_500;

export const userSchema = z.object({
  id: z.string(),
  created_at: timestampSchema.describe('When something was first stored of the user.'),
  last_active_at: timestampSchema.describe('When a conversation or memory of the user last changed.'),
  memories: z.int().min(0).describe('What search can find.'),
  conversations: z.int().min(0),
  preset: presetNameSchema.nullable().describe('Null: that of the tenant, else of the deployment.'),
  memory: z
    .boolean()
    .describe('False: nothing more is stored or extracted, and chats and contexts get nothing.'),
  retention_days: z.int().nullable().describe('How long messages are kept. Null: as the tenant keeps them.'),
});
export type User = z.infer<typeof userSchema>;

export const listUsersQuerySchema = z.strictObject({
  prefix: text(MAX_USER_ID_LENGTH).default('').describe('What the ids begin with, as it is written.'),
  contains: text(MAX_USER_ID_LENGTH)
    .default('')
    .describe(
      'What is somewhere in the ids, whatever the capitals. At most 50,000 ids are read for one page, which may so be empty and have a next one.',
    ),
  limit: limitQuery(200, 50),
  cursor: z.string().max(2_048).optional(),
});

export const patchUserSchema = z.strictObject({
  preset: presetNameSchema
    .nullish()
    .describe(
      'Counts where neither a request nor a conversation, key or upstream has one. Null: as the tenant.',
    ),
  memory: z
    .boolean()
    .optional()
    .describe(
      'False: messages of the user are answered with `skipped`, and chats and contexts get nothing. What is remembered stays, and can be listed and deleted.',
    ),
  retention_days: z.int().min(1).max(RETENTION_MAX_DAYS).nullish(),
});
export type PatchUser = z.input<typeof patchUserSchema>;
