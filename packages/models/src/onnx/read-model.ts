import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { AppError } from '@factmill/errors';
import { type ModelFiles, POOLINGS, type Pooling } from '@factmill/onnx';
import { isRecord } from '../errors/error-signals.ts';
import { sha256Of } from './file-digest.ts';
import { type JsonObject, positiveWhole, readJsonObject } from './json-file.ts';
import { readPoolingFolder } from './pooling-folder.ts';
import { MODEL_FILES } from './model-store.ts';
import type { SettingsPrefix } from './model-source.ts';

/** What is put before a text, for models that were trained with it. */
export type Prefixes = Readonly<{ query: string; passage: string }>;

/** What the files of a model say. Null for what they leave open. */
export type ModelDescription = Readonly<{
  files: ModelFiles;
  sha256: string;
  /** Tells two versions of a model apart: of the weights and the tokenizer. */
  digest: string;
  dimensions: number | null;
  maxTokens: number;
  padTokenId: number;
  pooling: Pooling | null;
  prefixes: Prefixes | null;
}>;

/**
 * Tokens that are read of one text, whatever the model could read: attention takes memory by their square, and the
 * vector of a longer text says little about each statement in it.
 */
const MAX_TOKENS = 512;

/**
 * Reads a model's folder, as transformers and sentence-transformers write it.
 *
 * @param file the model's file below the folder; null to look for it
 * @throws AppError `model_config` with what is missing or cannot be used
 */
export async function readModel(
  folder: string,
  file: string | null,
  settings: SettingsPrefix,
  signal: AbortSignal,
): Promise<ModelDescription> {
  const object = (name: string) => readJsonObject(join(folder, name), name);
  const config = await object('config.json');
  if (config === null) throw missing(settings, 'config.json');
  const tokenizer = join(folder, 'tokenizer.json');
  if (!(await exists(tokenizer))) throw missing(settings, 'tokenizer.json');
  const model = await findModelFile(folder, file, settings);
  const tokenizerConfig = await object('tokenizer_config.json');
  const sentences = await object('sentence_bert_config.json');
  const sha256 = await sha256Of(model, signal);
  const digest = createHash('sha256')
    .update(sha256)
    .update(await sha256Of(tokenizer, signal))
    .digest('hex');
  return {
    files: {
      model,
      tokenizer,
      tokenizerConfig: tokenizerConfig === null ? null : join(folder, 'tokenizer_config.json'),
    },
    sha256,
    digest,
    dimensions: positiveWhole(config['hidden_size']) ?? positiveWhole(config['dim']) ?? null,
    maxTokens: maxTokensOf(config, tokenizerConfig, sentences),
    padTokenId: typeof config['pad_token_id'] === 'number' ? config['pad_token_id'] : 0,
    pooling: await readPooling(folder),
    prefixes: prefixesOf(await object('config_sentence_transformers.json')),
  };
}

async function findModelFile(folder: string, file: string | null, settings: SettingsPrefix): Promise<string> {
  const names = file === null ? MODEL_FILES : [file];
  for (const name of names) {
    if (await exists(join(folder, name))) return join(folder, name);
  }
  throw missing(settings, names.join(' or '));
}

/** The smallest limit that is named; a tokenizer without one names an astronomical number. */
function maxTokensOf(
  config: JsonObject,
  tokenizerConfig: JsonObject | null,
  sentences: JsonObject | null,
): number {
  const positions = positiveWhole(config['max_position_embeddings']);
  // Models of this family begin to count positions after the number of the padding token.
  const isShifted = /roberta/.test(String(config['model_type']));
  const limits = [
    positiveWhole(sentences?.['max_seq_length']),
    positiveWhole(tokenizerConfig?.['model_max_length']),
    positions === undefined ? undefined : positions - (isShifted ? 2 : 0),
    MAX_TOKENS,
  ];
  return Math.min(...limits.filter((limit) => limit !== undefined));
}

/** The model's own way of pooling; null when its files do not say. */
async function readPooling(folder: string): Promise<Pooling | null> {
  const step = await readPoolingFolder(folder);
  if (step === null) return null;
  const name = `${step}/config.json`;
  const config = await readJsonObject(join(folder, name), name);
  if (config === null) return null;
  const { pooling_mode: mode } = config;
  const modes = Object.keys(config)
    .filter((key) => key.startsWith('pooling_mode_') && config[key] === true)
    .map((key) => key.slice('pooling_mode_'.length).replace(/_tokens?$/, ''));
  const named = typeof mode === 'string' ? [mode] : modes;
  const pooling = POOLINGS.find((candidate) => named.length === 1 && candidate === named[0]);
  if (pooling !== undefined) return pooling;
  throw new AppError(
    'model_config',
    `The model pools in a way that is not known here (${name}); known: ${POOLINGS.join(', ')}.`,
  );
}

/** The prompts of sentence-transformers: one for queries, one for what they find. Empty ones are its default. */
function prefixesOf(config: JsonObject | null): Prefixes | null {
  const prompts = config?.['prompts'];
  if (!isRecord(prompts)) return null;
  const text = (...names: string[]) =>
    names.map((name) => prompts[name]).find((prompt) => typeof prompt === 'string');
  const query = text('query') ?? '';
  const passage = text('document', 'passage') ?? '';
  return query === '' && passage === '' ? null : { query, passage };
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function missing(settings: SettingsPrefix, name: string): AppError {
  return new AppError('model_config', `The folder of ${settings}_MODEL has no ${name}.`);
}
