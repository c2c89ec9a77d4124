import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { importItemSchema } from '@factmill/contracts';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOpenClaw } from './read-openclaw.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'factmill-openclaw-'));
  await mkdir(join(folder, 'memory'));
});
afterEach(() => rm(folder, { recursive: true }));

const write = (name: string, text: string) => writeFile(join(folder, name), text);

describe('readOpenClaw', () => {
  test('the profile first, then the events of each day, oldest first', async () => {
    await write('MEMORY.md', '# About\n\n- Maya is a nurse\n- Maya owns a cat\n');
    await write('memory/2026-05-11.md', 'Maya moved to Porto.\n');
    await write('memory/2026-05-10-evening.md', '- Maya sold the boat\n');
    await write('2026-05-09.md', 'Maya bought a boat.\n');
    await write('memory/notes.md', 'No journal.\n');
    await write('memory/2026-02-30.md', 'No day.\n');
    const items = await readOpenClaw(folder);
    for (const item of items) importItemSchema.parse(item);
    expect(
      items.map(({ content, tier, topic, kind, stated_at }) => [content, tier, topic, kind, stated_at]),
    ).toEqual([
      ['Maya is a nurse', 1, 'About', undefined, undefined],
      ['Maya owns a cat', 1, 'About', undefined, undefined],
      ['Maya bought a boat.', 3, undefined, 'event', '2026-05-09T12:00:00Z'],
      ['Maya sold the boat', 3, undefined, 'event', '2026-05-10T12:00:00Z'],
      ['Maya moved to Porto.', 3, undefined, 'event', '2026-05-11T12:00:00Z'],
    ]);
  });

  test('an entry keeps its id when it moves; the same words on another day are another event', async () => {
    await write('MEMORY.md', '- Tea\n- Cat\n');
    await write('memory/2026-05-10.md', '- Tea\n');
    await write('memory/2026-05-11.md', '- Tea\n');
    const before = await readOpenClaw(folder);
    expect(new Set(before.map(({ id }) => id)).size).toBe(4);
    await write('MEMORY.md', '# New\n\n- Cat\n- Tea\n- Dog\n');
    const after = new Set((await readOpenClaw(folder)).map(({ id }) => id));
    expect(after.size).toBe(5);
    for (const { id } of before) expect(after).toContain(id);
  });

  test('links are not followed', async () => {
    await write('elsewhere.txt', 'Secret.');
    await symlink(join(folder, 'elsewhere.txt'), join(folder, 'MEMORY.md'));
    await write('memory/2026-05-10.md', 'Kept.');
    expect((await readOpenClaw(folder)).map(({ content }) => content)).toEqual(['Kept.']);
  });

  test('a folder without memories, and one that is not there, are one sentence', async () => {
    await expect(readOpenClaw(folder)).rejects.toThrow(/^The folder has neither MEMORY\.md nor journals/);
    await expect(readOpenClaw(join(folder, 'absent'))).rejects.toThrow('The folder cannot be read (ENOENT).');
  });
});
