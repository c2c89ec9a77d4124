import { isPromptName, PROMPT_NAMES, type PromptName } from './prompt-names.ts';
import { parseTemplate, type PromptTemplate, type Prompts } from './template.ts';

/** The name of a template's file. */
export function promptFileName(name: PromptName): string {
  return `${name}.md`;
}

/**
 * The templates in force: ours, each replaced by an operator's file of the same name. Files are by name; a
 * `README.md` is ignored. Returns problems instead, each with the file's name and never its text.
 */
export function resolvePrompts(
  own: ReadonlyMap<string, string>,
  overrides: ReadonlyMap<string, string>,
): { prompts: Prompts; problems: [] } | { prompts: null; problems: string[] } {
  const problems: string[] = [];
  for (const file of overrides.keys()) {
    if (file !== 'README.md' && !isPromptName(file.replace(/\.md$/, '')))
      problems.push(`${file} is not the name of a prompt`);
    else if (!file.endsWith('.md')) problems.push(`${file} does not end in .md`);
  }
  const templates = PROMPT_NAMES.flatMap((name): PromptTemplate[] => {
    const file = promptFileName(name);
    const text = overrides.get(file) ?? own.get(file);
    const parsed = text === undefined ? null : parseTemplate(name, text);
    if (parsed === null) problems.push(`${file} is missing`);
    else problems.push(...parsed.problems.map((problem) => `${file} ${problem}`));
    return parsed?.template ? [parsed.template] : [];
  });
  if (problems.length > 0) return { prompts: null, problems };
  return {
    prompts: Object.fromEntries(templates.map((template) => [template.name, template])) as Prompts,
    problems: [],
  };
}
