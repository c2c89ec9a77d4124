import type { Config } from '@factmill/config';
import type { Standalone } from './create-standalone.ts';

/** What `npm start` prints when it is ready; the curl lines work as printed. */
export function banner(addresses: Standalone, config: Config): string {
  const { gatewayUrl } = addresses;
  const storage =
    config.storage.databaseUrl === null
      ? `embedded Postgres in ${config.storage.dataDir}`
      : 'Postgres at DATABASE_URL';
  const queue = config.storage.redis === null ? 'in that Postgres' : 'Redis at REDIS_URL';
  const model = config.extractor.chatModel === null ? 'rules, no model' : config.extractor.chatModel.model;
  const key = config.auth.mode === 'required' ? ` -H 'Authorization: Bearer fm_…'` : '';
  const console = config.console.isEnabled ? `\n  Console      ${gatewayUrl}/console` : '';
  const json = `-H 'Content-Type: application/json'${key}`;
  return `
Factmill is ready.

  API          ${gatewayUrl}        reference: ${gatewayUrl}/docs${console}
  Queues       ${gatewayUrl}/admin/queues
  Retrieval    ${addresses.retrievalUrl}
  Extractor    ${addresses.extractorUrl}/health

  Storage      ${storage}; queue ${queue}
  Extraction   ${model}; embeddings ${config.embedding.provider}

Try it:

  curl -s ${gatewayUrl}/v1/extractions ${json} -d '{"user_id":"maya","messages":[{"role":"user","content":"I moved to Lisbon last spring and I work as a nurse. My dog is called Bruno."}]}'

  curl -s ${gatewayUrl}/v1/memories/search ${json} -d '{"user_id":"maya","query":"Which city does the user live in?"}'

  curl -s '${gatewayUrl}/v1/memories?user_id=maya'${key}

A longer conversation: npm run demo (in another terminal). Stop with Ctrl-C.

`;
}
