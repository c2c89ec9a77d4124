import { createHash } from 'node:crypto';
import { escapeControlTokens } from '@factmill/contracts';
import { PROMPTS, type PlaceholderOf, type PromptName } from './prompt-names.ts';

/**
 * A prompt with `{{PLACEHOLDERS}}`. Our `system` texts never change between calls, so that providers can cache
 * them; all variable parts are in `user`.
 */
export type PromptTemplate<N extends PromptName = PromptName> = Readonly<{
  name: N;
  system: string;
  user: string;
  /** Version of the texts: the first 12 hex digits of SHA-256 over both. Stored with every answer. */
  version: string;
}>;

/** The template in force of every prompt. */
export type Prompts = { readonly [N in PromptName]: PromptTemplate<N> };

export type PromptMessage = { role: 'system' | 'user'; content: string };

/** The folder of our templates: a Markdown file per name, at the same relative path in source and build. */
export const PROMPTS_FOLDER = new URL('../../prompts/', import.meta.url);

const PLACEHOLDER = /\{\{([A-Z_]+)\}\}/g;
/** Also finds misspelt placeholders such as `{{user_text}}` or `{{ TODAY }}`. */
const PLACEHOLDER_LIKE = /\{\{\s*([\w-]+)\s*\}\}/g;
const SECTION = /^<!--\s*([\w-]+)\s*-->[ \t]*$/gm;
const SECTIONS = ['system', 'user'] as const;

/** The texts after the `<!-- system -->` and `<!-- user -->` lines, by name; text before them is a comment. */
function readSections(text: string, problems: string[]): Map<string, string> {
  const marks = [...text.matchAll(SECTION)];
  const sections = new Map<string, string>();
  for (const [index, mark] of marks.entries()) {
    const name = mark[1] ?? '';
    if (!SECTIONS.some((known) => known === name)) problems.push(`has an unknown section ${name}`);
    else if (sections.has(name)) problems.push(`has the section ${name} twice`);
    sections.set(name, text.slice(mark.index + mark[0].length, marks[index + 1]?.index).trim());
  }
  for (const name of SECTIONS) {
    if ((sections.get(name) ?? '') === '') problems.push(`has no section ${name}`);
  }
  return sections;
}

/**
 * Reads a template's file: a `<!-- system -->` line with the instructions, a `<!-- user -->` line with the variable
 * part. Returns problems instead, each as the rest of a sentence that begins with the file's name.
 */
export function parseTemplate<N extends PromptName>(
  name: N,
  file: string,
): { template: PromptTemplate<N>; problems: [] } | { template: null; problems: string[] } {
  const problems: string[] = [];
  const sections = readSections(file.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n'), problems);
  const system = sections.get('system') ?? '';
  const user = sections.get('user') ?? '';
  const used = new Set([...`${system}\n${user}`.matchAll(PLACEHOLDER_LIKE)].map((match) => match[1] ?? ''));
  const known: readonly string[] = PROMPTS[name].placeholders;
  const needs: readonly string[] = PROMPTS[name].needs;
  for (const placeholder of used) {
    if (!known.includes(placeholder)) problems.push(`uses the unknown placeholder {{${placeholder}}}`);
  }
  if (!needs.some((placeholder) => used.has(placeholder)))
    problems.push(`lacks the placeholder ${needs.map((placeholder) => `{{${placeholder}}}`).join(' or ')}`);
  if (problems.length > 0) return { template: null, problems };
  const version = createHash('sha256').update(`${system}\u0000${user}`).digest('hex').slice(0, 12);
  return { template: { name, system, user, version }, problems: [] };
}

/**
 * The chat messages of a template. Values are data: each is filled in once, so that braces in it are no
 * placeholder, and it cannot close the block around it.
 */
export function fillTemplate<N extends PromptName>(
  template: PromptTemplate<N>,
  values: Readonly<Record<PlaceholderOf<N>, string>>,
): PromptMessage[] {
  const escape = createEscape(template);
  const given = new Map(Object.entries<string>(values));
  const fill = (text: string): string =>
    text.replaceAll(PLACEHOLDER, (whole, name: string) => {
      const value = given.get(name);
      return value === undefined ? whole : escape(value);
    });
  return [
    { role: 'system', content: fill(template.system) },
    { role: 'user', content: fill(template.user) },
  ];
}

/** Escaped in every prompt, even when it does not use them. */
const COMMON_TAGS = ['conversation', 'known_memories', 'documents', 'system', 'instructions'];

/**
 * Keeps text from closing the block around it, or opening one: the `<` of such a tag, in any spacing or case, and
 * that of a control token becomes `&lt;`. All other text stays unchanged.
 */
function createEscape(template: PromptTemplate): (text: string) => string {
  const own = `${template.system}\n${template.user}`.matchAll(/<\/?([a-z][\w-]*)>/gi);
  const tags = new Set([...COMMON_TAGS, ...[...own].map((match) => match[1] ?? '')]);
  const opening = new RegExp(`<(?=[\\s/]{0,8}(?:${[...tags].join('|')})\\b)`, 'gi');
  return (text) => escapeControlTokens(text.replaceAll(opening, '&lt;'));
}
