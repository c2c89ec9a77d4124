import { z } from 'zod';
import { permissionSchema } from './api-keys.ts';
import { timestampSchema, uuidSchema } from './text.ts';

/** Who is signed in to the console, and what may be done there. */
export const consoleSessionSchema = z.object({
  signed_in: z.boolean(),
  auth: z.enum(['required', 'none']).describe('`none`: nobody needs a key here, so nobody has to sign in.'),
  writable: z.boolean().describe('False: the console may change nothing here, whatever the key may do.'),
  version: z.string(),
  queue_board: z.string().nullable().describe('Where the queue board is, for who may see it.'),
  session: z
    .object({
      key_id: z.string().nullable().describe('Null without a stored key.'),
      key_name: z.string().nullable(),
      tenant_id: uuidSchema,
      permissions: z
        .array(permissionSchema)
        .describe('All that it may do; what `admin` includes is spelt out.'),
      user_id: z.string().nullable().describe('The user of requests that name none.'),
      user_locked: z.boolean(),
      expires_at: timestampSchema.nullable().describe('Null where nobody has to sign in.'),
      idle_seconds: z.int().nullable().describe('It ends before when it is not used for so long.'),
    })
    .nullable(),
});
export type ConsoleSession = z.infer<typeof consoleSessionSchema>;
