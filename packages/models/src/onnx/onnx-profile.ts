import { createHash } from 'node:crypto';
import { AppError } from '@factmill/errors';
import type { Pooling } from '@factmill/onnx';
import { embeddingProfileOf, type EmbeddingProfile } from '../embedding/embedding-profiles.ts';
import type { ModelDescription, Prefixes } from './read-model.ts';

/** How a model turns texts into vectors. */
export type TextHandling = Readonly<{ pooling: Pooling; prefixes: Prefixes }>;

const NO_PREFIXES: Prefixes = { query: '', passage: '' };

/** Of models whose ONNX versions come without these files, as their authors published it; by profile. */
const KNOWN: Readonly<Record<string, TextHandling>> = {
  'bge-small-en-v1.5': { pooling: 'cls', prefixes: NO_PREFIXES },
  'all-minilm-l6-v2': { pooling: 'mean', prefixes: NO_PREFIXES },
  'multilingual-e5-small': { pooling: 'mean', prefixes: { query: 'query: ', passage: 'passage: ' } },
};

/** Hexadecimal digits that tell versions of one model apart. */
const DIGITS = 12;

/**
 * How texts are handled for the model `name`: what its own files say, then what is known of it.
 *
 * @throws AppError `model_config` when neither says how it pools
 */
export function textHandlingOf(name: string, description: ModelDescription): TextHandling {
  const known = KNOWN[embeddingProfileOf(name)?.id ?? ''];
  const pooling = description.pooling ?? known?.pooling;
  if (pooling === undefined) {
    throw new AppError(
      'model_config',
      'The folder of EMBEDDING_MODEL does not say how the model pools: add the 1_Pooling/config.json of its sentence-transformers version.',
    );
  }
  return { pooling, prefixes: description.prefixes ?? known?.prefixes ?? NO_PREFIXES };
}

/**
 * The profile of a model from ONNX files. Its id holds a digest of weights, tokenizer and handling, so that vectors of
 * another version, or of the same model behind an endpoint, are never compared with these.
 *
 * @throws AppError `model_config` when the files do not say how long the vectors are
 */
export function onnxProfileOf(
  name: string,
  description: ModelDescription,
  { pooling, prefixes }: TextHandling,
): EmbeddingProfile {
  const { dimensions, maxTokens, digest } = description;
  if (dimensions === null) {
    throw new AppError(
      'model_config',
      'config.json of EMBEDDING_MODEL does not say how long its vectors are (hidden_size).',
    );
  }
  const profile = embeddingProfileOf(name, dimensions);
  if (profile === undefined) throw new Error('a model of known size has a profile');
  const version = createHash('sha256')
    .update(JSON.stringify([digest, pooling, prefixes.query, prefixes.passage, maxTokens]))
    .digest('hex');
  return {
    ...profile,
    id: `onnx:${name}@${version.slice(0, DIGITS)}`,
    maxInputTokens: Math.min(maxTokens, profile.maxInputTokens),
  };
}
