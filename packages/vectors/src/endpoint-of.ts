import type { EmbeddingEndpoint } from '@factmill/database';
import type { EmbedderConfig } from '@factmill/models';
import { createHash } from 'node:crypto';

/** How a configured model is called, as the database stores it: without key, and with a hash of the address. */
export function endpointOf(config: EmbedderConfig): EmbeddingEndpoint {
  if (config.provider !== 'openai') {
    return {
      provider: config.provider,
      // The name or folder of a model from ONNX files, so that it can be used again while another one is built.
      endpointModel: config.provider === 'onnx' ? config.model : null,
      endpointDimensions: null,
      endpointSha256: null,
    };
  }
  return {
    provider: config.provider,
    endpointModel: config.model,
    endpointDimensions: config.dimensions ?? null,
    endpointSha256: createHash('sha256')
      .update(config.baseUrl.replace(/(?<!\/)\/+$/, ''))
      .digest('hex'),
  };
}
