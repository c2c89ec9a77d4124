import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';

/** What the front matter of a file says about its memory, as written, and the text below it. */
export type FileFields = Readonly<{
  text: Readonly<Partial<Record<TextField, string>>>;
  /** `tier`, `importance`, `confidence`, `version`: checked by the schema of the writer. */
  numbers: Readonly<Partial<Record<NumberField, unknown>>>;
  tags: unknown;
  metadata: unknown;
  body: string;
}>;

const TEXT_FIELDS = [
  'id',
  'user_id',
  'conversation_id',
  'role',
  'kind',
  'category',
  'key',
  'value',
  'question',
  'answer',
  'project',
  'topic',
  'source',
  'source_context',
  'valid_from',
  'expires_at',
] as const;
type TextField = (typeof TEXT_FIELDS)[number];
const NUMBER_FIELDS = ['tier', 'importance', 'confidence', 'version'] as const;
type NumberField = (typeof NUMBER_FIELDS)[number];

export type ParsedFile = Readonly<{
  fields: FileFields;
  /** The front matter with its comments and unknown fields; null when the file has none. */
  document: Document | null;
}>;

/** A file that cannot be read: a sentence for the person who wrote it, without its text. */
export type FileProblem = Readonly<{ problem: string }>;

export function isProblem(value: object): value is FileProblem {
  return 'problem' in value;
}

const FENCE = /^---[ \t]*\r?\n/;
const CLOSING_FENCE = /^---[ \t]*(?:\r?\n|$)/m;
const MAX_DEPTH = 16;

/** Reads a file: front matter in YAML between two lines of `---`, then the text. Pure; never throws. */
export function parseFile(content: string): ParsedFile | FileProblem {
  const text = content.startsWith('\uFEFF') ? content.slice(1) : content;
  if (text.includes('\u0000')) return { problem: 'the file holds a NUL character, which no memory can' };
  const opening = FENCE.exec(text);
  if (opening === null) return { fields: { ...NO_FIELDS, body: trimmedBody(text) }, document: null };
  const rest = text.slice(opening[0].length);
  const closing = CLOSING_FENCE.exec(rest);
  if (closing === null) return { problem: 'the front matter has no closing line of ---' };
  const document = parseYaml(rest.slice(0, closing.index));
  if (isProblem(document)) return document;
  const body = trimmedBody(rest.slice(closing.index + closing[0].length));
  return { fields: { ...fieldsOf(document), body }, document };
}

const NO_FIELDS = { text: {}, numbers: {}, tags: undefined, metadata: undefined };

/** Without the empty lines around it and with plain line ends. */
export function trimmedBody(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();
}

function parseYaml(source: string): Document | FileProblem {
  const lines = new LineCounter();
  try {
    const document: Document = parseDocument(source, {
      version: '1.2',
      schema: 'core',
      prettyErrors: false,
      lineCounter: lines,
    });
    const [error] = document.errors;
    if (error !== undefined) {
      // The first line of the file is the fence.
      const line = lines.linePos(error.pos[0]).line + 1;
      return { problem: `the front matter is not valid YAML: ${error.code} in line ${line}` };
    }
    if (document.contents === null) document.contents = document.createNode({});
    if (!isMap(document.contents)) return { problem: 'the front matter is not a list of names and values' };
    return structureProblem(document) ?? document;
  } catch {
    return { problem: 'the front matter is not valid YAML: it cannot be read' };
  }
}

/** References can make a small file huge, and deep nesting costs the reader its stack. */
function structureProblem(document: Document): FileProblem | null {
  let problem: FileProblem | null = null;
  visit(document, {
    Node: (_key, node, ancestors) => {
      if (isAlias(node)) problem = { problem: 'the front matter has a reference (*), which is not read' };
      if (ancestors.length > 2 * MAX_DEPTH) problem = { problem: 'the front matter is nested too deeply' };
      return problem === null ? undefined : visit.BREAK;
    },
  });
  return problem;
}

function fieldsOf(document: Document): Omit<FileFields, 'body'> {
  const text: Partial<Record<TextField, string>> = {};
  for (const field of TEXT_FIELDS) {
    const value = textOf(document.get(field, true));
    if (value !== undefined) text[field] = value;
  }
  const numbers: Partial<Record<NumberField, unknown>> = {};
  for (const field of NUMBER_FIELDS) {
    const value: unknown = document.get(field);
    if (value !== undefined && value !== null) numbers[field] = isSeq(value) || isMap(value) ? '' : value;
  }
  return { text, numbers, tags: tagsOf(document.get('tags', true)), metadata: plainOf(document, 'metadata') };
}

/** A number or a yes where text belongs is text as written: `key: 2024`. */
function textOf(node: unknown): string | undefined {
  if (!isScalar(node) || node.value === null || node.value === undefined) return undefined;
  return typeof node.value === 'string' ? node.value : (node.source ?? JSON.stringify(node.value));
}

function tagsOf(node: unknown): unknown {
  if (isSeq(node)) return node.items.map((item) => textOf(item) ?? null);
  const single = textOf(node);
  return single === undefined ? undefined : [single];
}

function plainOf(document: Document, field: string): unknown {
  const node = document.get(field, true);
  if (node === undefined || node === null || (isScalar(node) && node.value === null)) return undefined;
  return isScalar(node) ? node.value : (node as { toJS: (doc: Document) => unknown }).toJS(document);
}
