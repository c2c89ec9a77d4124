import { z } from 'zod';
import { httpUrls, port } from './values.ts';

export const addresses = {
  HOST: z.string().min(1).default('127.0.0.1').meta({
    description:
      'Address to listen on. `0.0.0.0` serves other machines too; then API keys are required, unless `AUTH` says otherwise.',
  }),
  GATEWAY_PORT: port.default(8080).meta({ description: 'Port of the gateway.' }),
  RETRIEVAL_PORT: port.default(8081).meta({ description: 'Port of retrieval.' }),
  EXTRACTOR_PORT: port
    .default(8082)
    .meta({ description: 'Port of the extractor, for its health and metrics.' }),
  RETRIEVAL_URL: httpUrls.optional().meta({
    description:
      'Where the gateway finds retrieval: one address, or those of several processes. The searches of a user go to the same process, which then has the user in memory. Of one address whose name stands for several (a headless service of Kubernetes, a scaled service of Compose) each is a process.',
    unset: '`RETRIEVAL_PORT` on this machine',
  }),
};
