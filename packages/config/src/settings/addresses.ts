import { z } from 'zod';
import { httpUrl, port } from './values.ts';

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
  RETRIEVAL_URL: httpUrl.optional().meta({
    description: 'Where the gateway finds retrieval.',
    unset: '`RETRIEVAL_PORT` on this machine',
  }),
};
