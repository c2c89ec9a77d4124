import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '@factmill/errors';
import { PROMPTS_FOLDER, type Prompts, resolvePrompts } from '@factmill/extraction';

/**
 * The prompt templates in force: ours, each replaced by the file of the same name in the operator's folder.
 *
 * @param overridesFolder `PROMPTS_DIR`; null for none
 * @throws AppError `config_invalid` that names every wrong file and placeholder
 */
export async function loadPrompts(overridesFolder: string | null): Promise<Prompts> {
  const own = await readFolder(fileURLToPath(PROMPTS_FOLDER));
  let overrides = new Map<string, string>();
  if (overridesFolder !== null) {
    try {
      overrides = await readFolder(overridesFolder);
    } catch (error) {
      throw new AppError('config_invalid', 'PROMPTS_DIR: the folder cannot be read.', { cause: error });
    }
  }
  const { prompts, problems } = resolvePrompts(own, overrides);
  if (prompts === null) throw new AppError('config_invalid', `Prompt templates: ${problems.join('; ')}.`);
  return prompts;
}

/** Texts by file name. Names with a leading dot are ignored: mounted volumes keep their own files there. */
async function readFolder(folder: string): Promise<Map<string, string>> {
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.')).toSorted();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return new Map(names.map((name, index) => [name, texts[index] ?? '']));
}
