import type {
  createWebhookSchema,
  Delivery,
  List,
  listDeliveriesQuerySchema,
  patchWebhookSchema,
  replayedEventsSchema,
  replayWebhookSchema,
  testDeliverySchema,
  Webhook,
  webhookWithSecretSchema,
} from '@factmill/contracts';
import type { InputOf, OutputOf, QueryOf } from './contract-types.ts';
import type { RequestOptions, Transport } from './transport.ts';

type WithSecret = OutputOf<typeof webhookWithSecretSchema>;

/** Events sent to an address; needs the permission `admin`. */
export function createWebhooks({ send }: Transport) {
  return {
    /** The answer's `secret` is shown this once. */
    create: (body: InputOf<typeof createWebhookSchema>, options?: RequestOptions): Promise<WithSecret> =>
      send('webhooks.create', { body }, options),
    list: (options?: RequestOptions): Promise<List<Webhook>> => send('webhooks.list', {}, options),
    get: (id: string, options?: RequestOptions): Promise<Webhook> => send('webhooks.get', { id }, options),
    patch: (
      id: string,
      body: InputOf<typeof patchWebhookSchema>,
      options?: RequestOptions,
    ): Promise<Webhook> => send('webhooks.patch', { id, body }, options),
    delete: (id: string, options?: RequestOptions): Promise<void> => send('webhooks.delete', { id }, options),
    /** For a day the secret before signs as well. */
    rotateSecret: (id: string, options?: RequestOptions): Promise<WithSecret> =>
      send('webhooks.rotateSecret', { id }, options),
    /** Sends a test; `deliveries` says how it went. */
    test: (id: string, options?: RequestOptions): Promise<OutputOf<typeof testDeliverySchema>> =>
      send('webhooks.test', { id }, options),
    /** One page of the log, newest first. */
    deliveries: (
      id: string,
      query: QueryOf<typeof listDeliveriesQuerySchema> = {},
      options?: RequestOptions,
    ): Promise<List<Delivery>> => send('webhooks.deliveries', { id, query }, options),
    /** Sends one event again, or a range. */
    replay: (
      id: string,
      body: InputOf<typeof replayWebhookSchema>,
      options?: RequestOptions,
    ): Promise<OutputOf<typeof replayedEventsSchema>> => send('webhooks.replay', { id, body }, options),
  };
}
