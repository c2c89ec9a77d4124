import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '@factmill/errors';
import { isRecord } from '../errors/error-signals.ts';
import { errorCodeOf } from './error-code.ts';
import { type FetchDeps, fetchFile, type FetchedFile } from './fetch-file.ts';
import { sha256Of } from './file-digest.ts';
import { type JsonObject, MAX_JSON_BYTES, positiveWhole, readJsonObject } from './json-file.ts';
import { isInside, type ModelSource, type SettingsPrefix } from './model-source.ts';
import { readPoolingFolder } from './pooling-folder.ts';

type HubSource = Extract<ModelSource, { kind: 'hub' }>;

export type StoreConfig = Readonly<{
  /** Where fetched models are kept. */
  modelsDir: string;
  hubUrl: string;
  /** The model's file; null for the first of `MODEL_FILES` that the repository has. */
  file: string | null;
  settings: SettingsPrefix;
}>;

/** Where a model's weights are, below its folder, when no setting says so. */
export const MODEL_FILES = ['onnx/model.onnx', 'model.onnx'] as const;
const REQUIRED = ['config.json', 'tokenizer.json'];
const OPTIONAL = [
  'tokenizer_config.json',
  'sentence_bert_config.json',
  'config_sentence_transformers.json',
  'modules.json',
];
/** Protobuf, and so a model in one file, ends there. */
const MAX_MODEL_BYTES = 2 * 1024 ** 3;
/** Written last: a folder with it is whole, and is used without asking the hub. */
const MANIFEST = 'factmill.json';

/** What was fetched, by name below the folder. */
type Manifest = Readonly<{ commit: string | null; model: string; files: Readonly<Record<string, FileMark>> }>;
type FileMark = Readonly<{ size: number; sha256: string }>;

/**
 * The folder of a model of the hub. What is there is checked against the digests of when it was fetched and used
 * without the network; otherwise it is fetched.
 *
 * @throws AppError `model_config` or `model_transient`, as `fetchFile`
 */
export async function ensureModel(
  source: HubSource,
  config: StoreConfig,
  deps: FetchDeps,
  signal: AbortSignal,
): Promise<Readonly<{ folder: string; file: string; commit: string | null }>> {
  const folder = join(config.modelsDir, source.owner, source.name, source.revision);
  const known = readManifest(await readJsonObject(join(folder, MANIFEST), MANIFEST));
  if (known !== null && (config.file === null || config.file === known.model)) {
    await assertUnchanged(folder, known, config.settings, signal);
    return { folder, file: known.model, commit: known.commit };
  }
  const manifest = await fetchModel(source, folder, config, deps, signal);
  const unfinished = join(folder, `${MANIFEST}.${randomUUID()}.part`);
  await writeFile(unfinished, `${JSON.stringify(manifest, null, 2)}\n`);
  await rename(unfinished, join(folder, MANIFEST));
  return { folder, file: manifest.model, commit: manifest.commit };
}

async function fetchModel(
  source: HubSource,
  folder: string,
  { hubUrl, file, settings }: StoreConfig,
  deps: FetchDeps,
  signal: AbortSignal,
): Promise<Manifest> {
  const root = hubUrl.replace(/(?<!\/)\/+$/, '');
  const repository = `${source.owner}/${source.name}`;
  const files: Record<string, FileMark> = {};
  let commit: string | null = null;

  /** False when the repository has no such file. */
  const bring = async (name: string, maxBytes: number): Promise<boolean> => {
    const target = join(folder, name);
    await makeFolder(dirname(target));
    const address = `${root}/${repository}/resolve/${source.revision}/${name}`;
    const fetched: FetchedFile | null = await fetchFile({ address, name, target, maxBytes }, deps, signal);
    if (fetched === null) return false;
    if (fetched.commit !== undefined) {
      commit ??= fetched.commit;
      if (commit !== fetched.commit || isOtherCommit(source.revision, commit)) {
        throw new AppError(
          'model_transient',
          `The model hub sent files of two revisions for ${settings}_MODEL; try again.`,
        );
      }
    }
    files[name] = { size: fetched.size, sha256: fetched.sha256 };
    return true;
  };

  for (const name of REQUIRED) {
    if (!(await bring(name, MAX_JSON_BYTES))) throw missing(settings, name);
  }
  for (const name of OPTIONAL) await bring(name, MAX_JSON_BYTES);
  const pooling = await readPoolingFolder(folder);
  if (pooling !== null) await bring(`${pooling}/config.json`, MAX_JSON_BYTES);
  for (const name of file === null ? MODEL_FILES : [file]) {
    if (await bring(name, MAX_MODEL_BYTES)) return { commit, model: name, files };
  }
  throw missing(settings, file ?? MODEL_FILES.join(' or '));
}

/** A revision that is a commit must be answered by that commit. */
function isOtherCommit(revision: string, commit: string): boolean {
  return /^[0-9a-f]{40}$/.test(revision) && revision !== commit;
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (error) {
    throw new AppError(
      'model_config',
      `A folder for the model could not be made below MODELS_DIR (${errorCodeOf(error)}).`,
      { cause: error },
    );
  }
}

function readManifest(value: JsonObject | null): Manifest | null {
  if (value === null) return null;
  const { commit, model, files } = value;
  if (typeof model !== 'string' || !isRecord(files)) return null;
  const marks: Record<string, FileMark> = {};
  for (const [name, mark] of Object.entries(files)) {
    if (!isInside(name) || !isRecord(mark)) return null;
    const { size, sha256 } = mark;
    if (positiveWhole(size) === undefined || typeof sha256 !== 'string') return null;
    marks[name] = { size: size as number, sha256 };
  }
  return model in marks ? { commit: typeof commit === 'string' ? commit : null, model, files: marks } : null;
}

async function assertUnchanged(
  folder: string,
  { files }: Manifest,
  settings: SettingsPrefix,
  signal: AbortSignal,
): Promise<void> {
  for (const [name, { sha256 }] of Object.entries(files)) {
    const found = await sha256Of(join(folder, name), signal).catch(() => {
      signal.throwIfAborted();
      return null;
    });
    if (found === sha256) continue;
    throw new AppError(
      'model_config',
      `The file ${name} of ${settings}_MODEL is no longer what was fetched. Remove the model's folder below MODELS_DIR to fetch it again.`,
    );
  }
}

function missing(settings: SettingsPrefix, name: string): AppError {
  return new AppError(
    'model_config',
    `The model hub has no file ${name} for ${settings}_MODEL; check the name and the revision.`,
  );
}
