import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadPrompts } from './load-prompts.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'prompts-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function folderWith(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const path = join(folder, name);
  await mkdir(path);
  for (const [file, text] of Object.entries(files)) await writeFile(join(path, file), text);
  return path;
}

describe('loadPrompts', () => {
  test('finds ours', async () => {
    const prompts = await loadPrompts(null);
    expect(prompts.standard.user).toContain('{{TRANSCRIPT}}');
  });

  test('takes the operator’s instead, by name', async () => {
    const path = await folderWith('good', {
      'standard.md': '<!-- system -->\nBe brief.\n<!-- user -->\n{{USER_TEXT}}',
      '.keep': '',
    });
    const [ours, theirs] = await Promise.all([loadPrompts(null), loadPrompts(path)]);
    expect(theirs.standard).toMatchObject({ system: 'Be brief.', user: '{{USER_TEXT}}' });
    expect(theirs.standard.version).not.toBe(ours.standard.version);
    expect(theirs.tiered).toEqual(ours.tiered);
  });

  test('refuses what is not right, by name, and shows nothing of it', async () => {
    const path = await folderWith('bad', {
      'memory_extraction.md': 'text of mine',
      'tiered.md': '<!-- system -->\ntext of mine\n<!-- user -->\n{{USER_TEXT}} {{PERSONA}}',
    });
    const error: unknown = await loadPrompts(path).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'config_invalid' });
    expect(String(error)).toContain('memory_extraction.md is not the name of a prompt');
    expect(String(error)).toContain('tiered.md uses the unknown placeholder {{PERSONA}}');
    expect(String(error)).not.toContain('of mine');
  });

  test('refuses a folder that is not there, by the name of the setting', async () => {
    await expect(loadPrompts(join(folder, 'nowhere'))).rejects.toThrow('PROMPTS_DIR');
  });
});
