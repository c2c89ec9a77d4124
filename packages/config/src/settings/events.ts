import { flag, positiveInt } from './values.ts';

export const events = {
  EVENTS_RETENTION_DAYS: positiveInt.max(3_650).default(30).meta({
    description:
      'How long events and the logs of webhooks are kept. A webhook that is behind for longer misses what is gone.',
  }),
  WEBHOOKS_PRIVATE_NETWORKS: flag.default(false).meta({
    description:
      'Whether webhooks may lead into private networks and to this machine, and over http. Only where every tenant may reach what this server reaches.',
  }),
};
