import type { Config } from '@factmill/config';
import { createEmbedder, createFallbackChatModel } from '@factmill/models';
import { examine, type Finding, ok } from './finding.ts';

/** Longer than a model that is loaded takes for a word. */
const PATIENCE_MS = 20_000;

/** Asks the configured models one short thing each, because only an answer shows that key, quota and name are right. */
export async function examineModels({ extractor, embedding }: Config): Promise<readonly Finding[]> {
  const { chatModel } = extractor;
  return [
    ...(chatModel === null
      ? [ok('chat model', 'none is configured: rules extract')]
      : await examine('chat model', () => askChat({ ...chatModel, timeoutMs: PATIENCE_MS }))),
    ...(embedding.provider === 'none'
      ? [ok('embedding model', 'none is configured: searches find by text')]
      : await examine('embedding model', () => askEmbedding(embedding))),
  ];
}

async function askChat(config: NonNullable<Config['extractor']['chatModel']>): Promise<Finding[]> {
  const model = createFallbackChatModel(config);
  try {
    await model.complete({
      messages: [{ role: 'user', content: 'Reply with OK.' }],
      maxTokens: 16,
      mayBeEmpty: true,
    });
    return [ok('chat model', `${model.name} answers`)];
  } finally {
    await model.close();
  }
}

async function askEmbedding(config: Config['embedding']): Promise<Finding[]> {
  const embedder = createEmbedder(config);
  try {
    const [vector] = await embedder.embed(['OK']);
    return [ok('embedding model', `${config.provider} answers with ${vector?.length ?? 0} dimensions`)];
  } finally {
    await embedder.close();
  }
}
