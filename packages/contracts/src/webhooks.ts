import { z } from 'zod';
import { boundedArray } from './bounded-array.ts';
import { EVENT_TYPES, eventIdSchema, eventTypeSchema } from './events.ts';
import { limitQuery, text, timestampSchema, uuidSchema, withRules } from './text.ts';

const MAX_URL_LENGTH = 2_048;

const webhookUrlSchema = withRules(
  text(MAX_URL_LENGTH)
    .refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), {
      error: 'must be an https address',
      abort: true,
    })
    .refine((value) => new URL(value).username === '' && new URL(value).password === '', {
      error: 'must not hold a user name or a password',
    }),
  { pattern: '^https?://' },
).describe('An https address of a public host. An installation may allow its own networks, and http.');

const typesSchema = boundedArray(eventTypeSchema).min(1).max(EVENT_TYPES.length);

const payloadSchema = z
  .enum(['thin', 'full'])
  .describe(
    '`thin`: ids and counts. `full`: events of memories also have `memory`, as it is when they are sent; without it when it is gone by then.',
  );
export type WebhookPayload = z.infer<typeof payloadSchema>;

export const createWebhookSchema = z.strictObject({
  url: webhookUrlSchema,
  types: typesSchema.optional().describe('Only these events. Absent: all.'),
  payload: payloadSchema.default('thin'),
  enabled: z.boolean().default(true),
});

export const patchWebhookSchema = z.strictObject({
  url: webhookUrlSchema.optional(),
  types: typesSchema.nullable().optional().describe('Null: all.'),
  payload: payloadSchema.optional(),
  enabled: z
    .boolean()
    .optional()
    .describe('Enabled again, it gets what it has missed, as far as the events are kept.'),
});

export const webhookSchema = z.object({
  id: uuidSchema,
  url: z.string(),
  types: z.array(eventTypeSchema).nullable(),
  payload: payloadSchema,
  enabled: z.boolean(),
  disabled_at: timestampSchema.nullable(),
  disabled_reason: z
    .enum(['request', 'gone', 'failing'])
    .nullable()
    .describe('`request`: by a call. `gone`: it answered 410. `failing`: for a day.'),
  failures: z.int().describe('Deliveries that have failed in a row.'),
  failing_since: timestampSchema.nullable(),
  next_attempt_at: timestampSchema.nullable().describe('Of an endpoint that fails.'),
  previous_secret_until: timestampSchema
    .nullable()
    .describe('Until when deliveries are signed with the secret before this one as well.'),
  created_at: timestampSchema,
  updated_at: timestampSchema,
});
export type Webhook = z.infer<typeof webhookSchema>;

export const webhookWithSecretSchema = webhookSchema.extend({
  secret: z.string().describe('`whsec_…`, for verifying signatures. Shown this once.'),
});

export const deliverySchema = z.object({
  id: uuidSchema,
  event_id: eventIdSchema.nullable().describe('Null for a test.'),
  type: z.string(),
  state: z
    .enum(['pending', 'delivered', 'failed'])
    .describe(
      '`pending`: it will be sent, or sent again. `failed`: a test that failed, or the event is gone.',
    ),
  attempts: z.int(),
  status: z.int().nullable().describe('Of the last answer.'),
  error: z.string().nullable().describe('Why there was no answer, as a code.'),
  duration_ms: z.int().nullable(),
  created_at: timestampSchema,
  attempted_at: timestampSchema.nullable(),
});
export type Delivery = z.infer<typeof deliverySchema>;

export const listDeliveriesQuerySchema = z.strictObject({
  state: deliverySchema.shape.state.optional(),
  limit: limitQuery(200, 50),
  cursor: z.string().max(512).optional(),
});

export const replayWebhookSchema = z
  .strictObject({
    event_id: eventIdSchema.optional().describe('One event.'),
    after: eventIdSchema.optional().describe('Or those after this one; `0-0` for all that are kept.'),
    until: eventIdSchema.optional().describe('Up to this one, itself included.'),
  })
  .refine(
    ({ event_id: one, after, until }) => (one === undefined) !== (after === undefined && until === undefined),
    {
      error: 'needs either event_id, or after and until',
      path: ['event_id'],
    },
  );

export const replayedEventsSchema = z.object({
  replayed: z.int().describe('Events that will be sent again, each under its own id.'),
  next_after: eventIdSchema.nullable().describe('`after` for the rest, when there were more than 10,000.'),
});

export const testDeliverySchema = z.object({
  delivery_id: uuidSchema.describe('In the log of deliveries.'),
});
