import { z } from 'zod';
import { limitQuery, text, timestampSchema, userIdSchema } from './text.ts';

/** What an audit record can be about. */
export type AuditTarget =
  | 'api_key'
  | 'conversation'
  | 'document'
  | 'erasure'
  | 'hash'
  | 'legal_hold'
  | 'memory'
  | 'replay'
  | 'retention_run'
  | 'route'
  | 'setting'
  | 'tenant'
  | 'user'
  | 'webhook';

/** What is written into the audit: a thing, a dot, and what was done to it. Part of the contract: add, never rename. */
export const auditActionSchema = z.enum([
  'api_key.created',
  'api_key.rotated',
  'api_key.revoked',
  'session.started',
  'session.ended',
  'permission.refused',
  'memories.read_all',
  'memories.imported',
  'memories.cleared',
  'memory.restored',
  'memory.purged',
  'conversation.purged',
  'summary.deleted',
  'user.changed',
  'user.exported',
  'user.imported',
  'user.erasure_requested',
  'user.erased',
  'tenant.created',
  'tenant.changed',
  'tenant.exported',
  'tenant.imported',
  'setting.changed',
  'retention.changed',
  'retention.run',
  'legal_hold.placed',
  'legal_hold.lifted',
  'replay.started',
  'replay.applied',
  'replay.undone',
  'replay.discarded',
  'replay.deleted',
  'webhook.created',
  'webhook.changed',
  'webhook.deleted',
  'audit.cut',
]);
export type AuditAction = z.infer<typeof auditActionSchema>;

const hashSchema = z.string().regex(/^[0-9a-f]{64}$/, { error: 'must be 64 hexadecimal digits' });
const recordNumber = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

export const auditRecordSchema = z.object({
  number: z.int().describe('Counts up by one within a tenant.'),
  at: timestampSchema,
  actor: z
    .string()
    .describe(
      '`api-key:<id>`; `api`: a caller without a stored key; `operator`: a command on the database; `system`: a job.',
    ),
  action: z.string(),
  target_kind: z.string().nullable(),
  target_id: z.string().nullable().describe('Of users and conversations a pseudonym.'),
  user_pseudonym: z
    .string()
    .nullable()
    .describe('HMAC-SHA256 (hex) of the user’s id with a secret of the tenant. Nothing leads back from it.'),
  outcome: z.enum(['done', 'refused']),
  request_id: z.string().nullable(),
  reason: z.string().nullable().describe('A code, such as `forbidden`.'),
  fields: z.array(z.string()).describe('Names of changed fields, never their values.'),
  counts: z.record(z.string(), z.int()),
  prev_hash: z.string(),
  hash: z
    .string()
    .describe('SHA-256 (hex) of `prev_hash` and the columns of the record: see docs/governance.md.'),
});
export type AuditRecord = z.infer<typeof auditRecordSchema>;

export const listAuditQuerySchema = z.strictObject({
  action: auditActionSchema.optional(),
  actor: text(64).optional(),
  user_id: userIdSchema.optional().describe('Records about this user, also one who is erased.'),
  since: timestampSchema.optional(),
  until: timestampSchema.optional(),
  limit: limitQuery(200, 50),
  cursor: z.string().max(512).optional(),
});

export const verifyAuditQuerySchema = z
  .strictObject({
    number: recordNumber
      .optional()
      .describe('With `hash`: a record seen earlier, which must still be there.'),
    hash: hashSchema.optional(),
  })
  .refine(({ number, hash }) => (number === undefined) === (hash === undefined), {
    path: ['hash'],
    error: 'goes with number',
  });

export const auditVerificationSchema = z.object({
  intact: z.boolean(),
  records: z.int().describe('How many were found in order.'),
  first_number: z.int().nullable().describe('Above 1 when retention has removed what was before.'),
  last: z
    .object({ number: z.int(), hash: z.string() })
    .describe(
      'The last one in order. Keep it elsewhere and send it with a later call: it cannot be replaced then.',
    ),
  problem: z
    .object({ number: z.int(), kind: z.enum(['changed', 'removed']) })
    .nullable()
    .describe('The first record that is not what it was, or not where it was.'),
});
export type AuditVerification = z.infer<typeof auditVerificationSchema>;
