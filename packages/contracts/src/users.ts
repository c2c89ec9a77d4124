import { z } from 'zod';
import { timestampSchema, uuidSchema } from './text.ts';

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
