import { AppError } from '@factmill/errors';

/** Where the files of a model are: in a folder of the operator, or in a repository of the hub. */
export type ModelSource =
  | Readonly<{ kind: 'folder'; path: string; name: string }>
  | Readonly<{
      kind: 'hub';
      owner: string;
      name: string;
      /** A commit, tag or branch. */
      revision: string;
    }>;

/** The settings that messages name. */
export type SettingsPrefix = 'EMBEDDING' | 'RERANK';

/** The repositories of the models that Factmill has profiles of, by name in small letters. */
const KNOWN: Readonly<Record<string, string>> = {
  'bge-small-en-v1.5': 'BAAI/bge-small-en-v1.5',
  'all-minilm-l6-v2': 'sentence-transformers/all-MiniLM-L6-v2',
  'multilingual-e5-small': 'intfloat/multilingual-e5-small',
  'ms-marco-minilm-l-6-v2': 'Xenova/ms-marco-MiniLM-L-6-v2',
};

/** One segment: it begins with a letter or digit, so it is neither `.` nor `..`, and has no separator. */
const SEGMENT = '[A-Za-z0-9][A-Za-z0-9._-]{0,95}';
const HUB = new RegExp(`^(?:(${SEGMENT})/)?(${SEGMENT})(?:@(${SEGMENT}))?$`);

/**
 * Reads `EMBEDDING_MODEL` or `RERANK_MODEL` of the provider `onnx`: a folder (absolute, or beginning with `./`), or a
 * model of the hub: `owner/name`, `owner/name@revision`, or the name alone of a model that Factmill knows.
 *
 * @throws AppError `config_invalid`
 */
export function parseModelSource(text: string, settings: SettingsPrefix): ModelSource {
  if (text.startsWith('/') || text.startsWith('./')) return folderSource(text, settings);
  const [, owner, name, revision = 'main'] = HUB.exec(text) ?? [];
  if (name === undefined || text.includes('..')) {
    throw invalid(
      settings,
      'is a folder (absolute, or beginning with ./) or a model as owner/name or owner/name@revision',
    );
  }
  if (owner !== undefined) return { kind: 'hub', owner, name, revision };
  const known = KNOWN[name.toLowerCase()];
  if (known === undefined) {
    throw invalid(
      settings,
      `needs an owner, as in owner/name; known without one: ${knownNames().join(', ')}`,
    );
  }
  const [knownOwner = '', knownName = ''] = known.split('/');
  return { kind: 'hub', owner: knownOwner, name: knownName, revision };
}

function folderSource(text: string, settings: SettingsPrefix): ModelSource {
  const segments = text.split('/').filter((segment) => segment !== '' && segment !== '.');
  const name = segments.at(-1);
  if (name === undefined || segments.includes('..') || text.includes('\0')) {
    throw invalid(settings, 'is a folder whose path has no .. in it');
  }
  return { kind: 'folder', path: text, name };
}

/**
 * Checks `EMBEDDING_MODEL_FILE` or `RERANK_MODEL_FILE`: a file below the model's folder.
 *
 * @throws AppError `config_invalid`
 */
export function assertModelFile(file: string, settings: SettingsPrefix): void {
  if (isInside(file) && file.endsWith('.onnx')) return;
  throw new AppError(
    'config_invalid',
    `${settings}_MODEL_FILE is an .onnx file below the model's folder, for example onnx/model_quantized.onnx.`,
  );
}

/** Whether a relative path stays below where it starts. */
export function isInside(path: string): boolean {
  return path
    .split('/')
    .every((segment) => new RegExp(`^${SEGMENT}$`).test(segment) && !segment.includes('..'));
}

function knownNames(): string[] {
  return Object.values(KNOWN).map((repository) => repository.slice(repository.indexOf('/') + 1));
}

function invalid(settings: SettingsPrefix, rule: string): AppError {
  return new AppError('config_invalid', `${settings}_MODEL ${rule}.`, {
    fields: [{ field: `${settings}_MODEL`, message: rule }],
  });
}
