import { z } from 'zod';
import { access } from './settings/access.ts';
import { addresses } from './settings/addresses.ts';
import { chatProxy } from './settings/chat-proxy.ts';
import { embeddingModel } from './settings/embedding-model.ts';
import { events } from './settings/events.ts';
import { compression, extraction } from './settings/extraction.ts';
import { extractionModel } from './settings/extraction-model.ts';
import { usage } from './settings/usage.ts';
import { onnx } from './settings/onnx.ts';
import { search } from './settings/search.ts';
import { storage } from './settings/storage.ts';
import { telemetry } from './settings/telemetry.ts';
import { vault } from './settings/vault.ts';

/**
 * Every environment variable that Factmill reads, with its rule, default and description. An empty value counts as not
 * set. `.env.example` and `docs/configuration.md` are generated from it (reference/write-reference.ts).
 */
export const environmentSchema = z.object({
  ...addresses,
  ...storage,
  ...access,
  ...extractionModel,
  ...chatProxy,
  ...embeddingModel,
  ...search,
  ...onnx,
  ...extraction,
  ...compression,
  ...events,
  ...usage,
  ...vault,
  ...telemetry,
});

/** The parts of the documentation, in the order of the schema. */
export const SECTIONS: readonly Readonly<{ title: string; names: readonly string[] }>[] = [
  { title: 'Addresses', names: Object.keys(addresses) },
  { title: 'Storage', names: Object.keys(storage) },
  { title: 'Access and limits', names: Object.keys(access) },
  { title: 'Extraction model', names: Object.keys(extractionModel) },
  { title: 'Chat proxy', names: Object.keys(chatProxy) },
  { title: 'Embedding model', names: Object.keys(embeddingModel) },
  { title: 'Search', names: Object.keys(search) },
  { title: 'Models from ONNX files', names: Object.keys(onnx) },
  { title: 'Extraction and its queue', names: Object.keys(extraction) },
  { title: 'Compression', names: Object.keys(compression) },
  { title: 'Events and webhooks', names: Object.keys(events) },
  { title: 'Usage and budgets', names: Object.keys(usage) },
  { title: 'Markdown vault', names: Object.keys(vault) },
  { title: 'Logs and traces', names: Object.keys(telemetry) },
];

export type Environment = z.infer<typeof environmentSchema>;
export const ENVIRONMENT_NAMES: readonly string[] = Object.keys(environmentSchema.shape);

/** Settings that are secrets or may hold one, such as addresses with a password. `NAME_FILE` names a file with it. */
export const SECRET_NAMES: readonly string[] = ENVIRONMENT_NAMES.filter(
  (name) => environmentSchema.shape[name as keyof Environment].meta()?.['secret'] === true,
);
