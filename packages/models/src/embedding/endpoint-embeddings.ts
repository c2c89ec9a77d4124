import { AppError } from '@factmill/errors';
import type { EmbedderConfig, EmbeddingSource } from './embedding-source.ts';
import { type EmbeddingProfile, embeddingProfileOf } from './embedding-profiles.ts';
import { createEndpointClient } from '../endpoint/endpoint-client.ts';
import { isRecord, UnusableReplyError } from '../errors/error-signals.ts';

type EndpointConfig = Extract<EmbedderConfig, { provider: 'openai' }>;

/** Vectors from an OpenAI-compatible `/embeddings` endpoint. Errors: the `model_*` codes of `createChatModel`. */
export function createEndpointEmbeddings(
  { baseUrl, apiKey = '', model, dimensions, timeoutMs, batchSize }: EndpointConfig,
  deps: Readonly<{ now: () => number }>,
): EmbeddingSource {
  const endpoint = createEndpointClient({ baseUrl, apiKey, timeoutMs, settings: 'EMBEDDING', now: deps.now });
  let profile: EmbeddingProfile | undefined = embeddingProfileOf(model, dimensions);
  // Most servers refuse a `dimensions` that they cannot choose, even when it is their own size.
  const asksForSize = dimensions !== undefined && embeddingProfileOf(model)?.dimensions !== dimensions;

  return {
    profile: () => profile ?? null,
    batchSize,
    embedBatch: async (texts, { signal, onUsage }) => {
      const body = { model, input: texts, encoding_format: 'float', ...(asksForSize ? { dimensions } : {}) };
      const { body: reply } = await endpoint.post('/embeddings', body, signal);
      onUsage?.({ model, tokens: readTokens(reply) });
      const vectors = readVectors(reply, texts.length);
      const size = vectors?.[0]?.length ?? 0;
      if (!vectors || vectors.some((vector) => vector.length !== size)) {
        throw endpoint.toError(new UnusableReplyError(reply, 'wrong_answer'));
      }
      profile ??= embeddingProfileOf(model, size);
      if (profile && size !== profile.dimensions) throw sizeError(size, profile.dimensions);
      return vectors;
    },
    close: endpoint.close,
  };
}

function sizeError(got: number, expected: number): AppError {
  return new AppError(
    'embedding_mismatch',
    `The embedding endpoint returns vectors of ${got} dimensions, but ${expected} are expected: correct EMBEDDING_MODEL and EMBEDDING_DIMENSIONS, or run \`factmill reembed\` after changing them on purpose; until then memories get no vectors and are found by text.`,
  );
}

/** The tokens of a reply; 0 when it does not say. */
function readTokens(reply: unknown): number {
  const usage = isRecord(reply) && isRecord(reply['usage']) ? reply['usage'] : {};
  const tokens = usage['prompt_tokens'] ?? usage['total_tokens'];
  return typeof tokens === 'number' && Number.isFinite(tokens) && tokens > 0 ? Math.trunc(tokens) : 0;
}

/** The vectors in the order of the texts; undefined when the reply lacks one. */
function readVectors(reply: unknown, count: number): ArrayLike<number>[] | undefined {
  if (!isRecord(reply) || !Array.isArray(reply['data']) || reply['data'].length !== count) return undefined;
  const vectors: (ArrayLike<number> | undefined)[] = Array.from({ length: count });
  reply['data'].forEach((item: unknown, position) => {
    if (!isRecord(item)) return;
    const index = typeof item['index'] === 'number' ? item['index'] : position;
    if (index in vectors) vectors[index] = readVector(item['embedding']);
  });
  return vectors.every((vector) => vector !== undefined) ? vectors : undefined;
}

function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

/** A list of numbers, or little-endian 32-bit floats in base64, which some servers send unasked. */
function readVector(value: unknown): ArrayLike<number> | undefined {
  if (Array.isArray(value)) {
    return value.length > 0 && value.every(isFiniteNumber) ? value : undefined;
  }
  if (typeof value !== 'string') return undefined;
  const bytes = Buffer.from(value, 'base64');
  if (bytes.length === 0 || bytes.length % 4 !== 0) return undefined;
  const vector = Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
  return vector.every((component) => Number.isFinite(component)) ? vector : undefined;
}
