import { z } from 'zod';
import { nameSchema, timestampSchema, userIdSchema } from './text.ts';

export const permissionSchema = z.enum([
  'memory.read',
  'memory.write',
  'memory.read_all',
  'queue.read',
  'queue.write',
  'admin',
]);
export type Permission = z.infer<typeof permissionSchema>;
export const PERMISSIONS: readonly Permission[] = permissionSchema.options;

export const createApiKeySchema = z.strictObject({
  name: nameSchema,
  permissions: z.array(permissionSchema).min(1).default(['memory.read', 'memory.write']),
  user_id: userIdSchema.optional().describe('Requests that name no user belong to this one.'),
  expires_at: timestampSchema.optional(),
});

export const apiKeySchema = z.object({
  id: z.string(),
  name: z.string(),
  permissions: z.array(permissionSchema),
  user_id: z.string().nullable(),
  created_at: timestampSchema,
  expires_at: timestampSchema.nullable(),
  revoked: z.boolean(),
});
export type ApiKey = z.infer<typeof apiKeySchema>;

export const createdApiKeySchema = apiKeySchema.extend({
  key: z.string().describe('The whole key. Shown this once; only its hash is kept.'),
});
