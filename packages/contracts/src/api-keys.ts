import { z } from 'zod';
import { presetNameSchema } from './preset-name.ts';
import { limitQuery, nameSchema, timestampSchema, userIdSchema } from './text.ts';

export const permissionSchema = z.enum([
  'memory.read',
  'memory.write',
  'memory.read_all',
  'queue.read',
  'queue.write',
  'chat',
  'upstream',
  'audit.read',
  'admin',
  'operator',
]);
export type Permission = z.infer<typeof permissionSchema>;
export const PERMISSIONS: readonly Permission[] = permissionSchema.options;

/** The permissions of a key created without any. */
export const DEFAULT_PERMISSIONS: readonly Permission[] = ['memory.read', 'memory.write', 'chat'];

/** Permissions that reach beyond one user. A key that is locked to a user cannot have them. */
const BEYOND_A_USER: readonly Permission[] = ['memory.read_all', 'audit.read', 'admin', 'operator'];

/**
 * What is wrong with a lock, as one sentence; null when nothing is. A lock needs a user, and cannot hold a key that
 * reads all users or makes other keys.
 */
export function lockProblem(
  key: Readonly<{ permissions: readonly Permission[]; userId: string | undefined }>,
): string | null {
  if (key.userId === undefined) return 'needs a user to lock the key to';
  const beyond = key.permissions.find((permission) => BEYOND_A_USER.includes(permission));
  return beyond === undefined ? null : `cannot go with the permission ${beyond}, which reaches other users`;
}

export const createApiKeySchema = z
  .strictObject({
    name: nameSchema,
    permissions: z
      .array(permissionSchema)
      .min(1)
      .default([...DEFAULT_PERMISSIONS]),
    user_id: userIdSchema.optional().describe('Requests that name no user belong to this one.'),
    user_locked: z
      .boolean()
      .default(false)
      .describe('Refuses all other users: naming one is 403 `user_locked`, an id of theirs is 404.'),
    preset: presetNameSchema
      .optional()
      .describe('The preset of chats and searches with this key, where their conversation has none.'),
    expires_at: timestampSchema.optional(),
  })
  .superRefine((key, context) => {
    const problem = key.user_locked
      ? lockProblem({ permissions: key.permissions, userId: key.user_id })
      : null;
    if (problem !== null) context.addIssue({ code: 'custom', path: ['user_locked'], message: problem });
  });

export const listApiKeysQuerySchema = z.strictObject({
  limit: limitQuery(1_000, 1_000),
  cursor: z.string().max(512).optional(),
});

export const apiKeySchema = z.object({
  id: z.string(),
  name: z.string(),
  permissions: z.array(permissionSchema),
  user_id: z.string().nullable(),
  user_locked: z.boolean(),
  preset: presetNameSchema.nullable(),
  created_at: timestampSchema,
  expires_at: timestampSchema.nullable(),
  revoked: z.boolean(),
  revoked_at: timestampSchema.nullable(),
  rotated_at: timestampSchema.nullable(),
  previous_secret_until: timestampSchema
    .nullable()
    .describe('Until when the secret before the last rotation works; null when it does not.'),
  last_used_at: timestampSchema.nullable().describe('To the minute; null when it was never used.'),
});
export type ApiKey = z.infer<typeof apiKeySchema>;

const DAY_S = 86_400;

export const rotateApiKeySchema = z.strictObject({
  overlap_seconds: z
    .int()
    .min(0)
    .max(90 * DAY_S)
    .default(DAY_S)
    .describe('How long the old secret works beside the new one. 0: it ends at once.'),
  expires_at: timestampSchema.nullish().describe('A new end of the key. Null: none; absent: as it was.'),
});

export const createdApiKeySchema = apiKeySchema.extend({
  key: z.string().describe('The whole key. Shown this once; only its hash is kept.'),
});
