import { createPool, migrate } from '@factmill/database';
import { openTestDatabase } from '@factmill/testkit/jest';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { link, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises';
import type { FileOperations } from './folder/file-operations.ts';
import { actorsOf, edit, onlyFile, onlyMemory, createStand, type Stand } from './stand.fixture.ts';

const { database } = await openTestDatabase({ createPool, migrate });
let stand: Stand;

beforeEach(async () => {
  stand = await createStand(database);
});

afterEach(() => stand.close());

describe('both sides at once', () => {
  test('both versions are kept, with a note; the memory stands', async () => {
    const id = await stand.save('alice', { content: 'Likes tea.' });
    await stand.sync();
    const path = await onlyFile(stand);
    await edit(stand, path, 'Likes tea.', 'Likes tea with milk.');
    await stand.change('alice', id, { content: 'Likes coffee.' });
    await stand.sync();
    expect((await onlyMemory(stand)).content).toBe('Likes coffee.');
    expect(await stand.read(path)).toContain('Likes coffee.');
    const [kept = '', note = ''] = await stand.conflicts();
    expect(await stand.read(kept)).toContain('Likes tea with milk.');
    expect(await stand.read(note)).toContain('File and memory have both changed');
    expect(await stand.report()).toContain(kept);
  });

  test('an edit that was taken is agreed on, also after a kill', async () => {
    const id = await stand.save('alice', { content: 'Likes tea.' });
    await stand.sync();
    const path = await onlyFile(stand);
    await edit(stand, path, 'Likes tea.', 'Likes mate.');
    await stand.sync();
    await stand.crash();
    await stand.change('alice', id, { content: 'Likes coffee.' });
    await stand.sync();
    expect(await stand.conflicts()).toEqual([]);
    expect(await stand.read(path)).toContain('Likes coffee.');
  });

  test('the same change on both sides is no conflict', async () => {
    const id = await stand.save('alice', { content: 'Likes tea.' });
    await stand.sync();
    await edit(stand, await onlyFile(stand), 'Likes tea.', 'Likes mate.');
    await stand.change('alice', id, { content: 'Likes mate.' });
    await stand.sync();
    expect(await stand.conflicts()).toEqual([]);
    expect(await actorsOf(stand, id)).toEqual(['ADD test', 'UPDATE test']);
  });

  test('an edit of a file whose memory was deleted is kept aside', async () => {
    const id = await stand.save('alice', { content: 'Likes tea.' });
    await stand.sync();
    await edit(stand, await onlyFile(stand), 'Likes tea.', 'Likes tea with milk.');
    await stand.remove('alice', id);
    await stand.sync();
    expect(await stand.memories('alice')).toEqual([]);
    expect(await stand.files()).toEqual([]);
    const [kept = ''] = await stand.conflicts();
    expect(await stand.read(kept)).toContain('Likes tea with milk.');
  });

  test('a deleted file whose memory has changed is written anew', async () => {
    const id = await stand.save('alice', { content: 'Likes tea.' });
    await stand.sync();
    const path = await onlyFile(stand);
    await unlink(stand.at(path));
    await stand.change('alice', id, { content: 'Likes coffee.' });
    await stand.sync();
    expect(await stand.read(path)).toContain('Likes coffee.');
    expect(await stand.report()).toContain('was deleted while its memory changed');
  });

  test('two that begin at once: one follows, the other waits, and writes nothing when it wakes up late', async () => {
    await stand.save('alice', { content: 'Likes tea.' });
    await stand.sync();
    expect(await stand.open()).toBeNull();
    await database.query(
      `update vaults set leased_until = now() - interval '1 second' where tenant_id = $1::uuid`,
      [stand.tenantId],
    );
    const other = await stand.open();
    await edit(stand, await onlyFile(stand), 'Likes tea.', 'Likes mate.');
    await expect(stand.sync()).rejects.toMatchObject({ code: 'fenced' });
    expect((await onlyMemory(stand)).content).toBe('Likes tea.');
    await other?.close();
  });
});

describe('an edit in the very moment in which Factmill writes', () => {
  /** The text of a file is changed at once before it is renamed, or after it was linked. */
  async function standWith(moment: 'before rename' | 'after link'): Promise<void> {
    await stand.close();
    let isArmed = true;
    const editNow = async (path: string) => {
      if (!isArmed || !path.includes('/entries/') || path.includes('/.factmill/')) return;
      isArmed = false;
      await writeFile(
        path,
        (await readFile(path, 'utf8')).replace(/\n---\n[^]*$/, '\n---\n\nWritten by hand.\n'),
      );
    };
    const files: FileOperations = {
      rm,
      unlink,
      writeFile,
      async rename(from, to) {
        if (moment === 'before rename') await editNow(from);
        await rename(from, to);
      },
      async link(from, to) {
        await link(from, to);
        if (moment === 'after link') await editNow(to);
      },
    };
    stand = await createStand(database, 1_000, (deps) => ({ ...deps, files }));
  }

  test('after the file was put in place: the edit is taken', async () => {
    await standWith('after link');
    const id = await stand.save('alice', { content: 'Likes tea.' });
    await stand.sync();
    expect((await onlyMemory(stand)).content).toBe('Written by hand.');
    expect(await actorsOf(stand, id)).toEqual(['ADD test', 'UPDATE vault']);
  });

  test('before the file is replaced: the edit is kept', async () => {
    await standWith('before rename');
    const id = await stand.save('alice', { content: 'Likes tea.' });
    await stand.sync();
    await stand.change('alice', id, { content: 'Likes coffee.' });
    await stand.sync();
    expect((await onlyMemory(stand)).content).toBe('Likes coffee.');
    const [kept = ''] = await stand.conflicts();
    expect(await stand.read(kept)).toContain('Written by hand.');
  });
});
