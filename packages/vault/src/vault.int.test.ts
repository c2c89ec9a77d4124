import { createPool, migrate } from '@factmill/database';
import { openTestDatabase } from '@factmill/testkit/jest';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { copyFile, link, readdir, readFile, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileOperations } from './folder/swap.ts';
import { createStand, type Stand } from './stand.fixture.ts';

const { database } = await openTestDatabase({ createPool, migrate });
let stand: Stand;

beforeEach(async () => {
  stand = await createStand(database);
});

afterEach(() => stand.close());

/** The only file of the vault. */
async function onlyFile(): Promise<string> {
  const files = await stand.files();
  expect(files).toHaveLength(1);
  return files[0] ?? '';
}

async function onlyMemory() {
  const memories = await stand.memories('alice');
  expect(memories).toHaveLength(1);
  const [memory] = memories;
  if (memory === undefined) throw new Error('there is no memory');
  return memory;
}

async function edit(path: string, from: string | RegExp, to: string): Promise<void> {
  const text = await stand.read(path);
  expect(text).toMatch(from);
  await stand.write(path, text.replace(from, to));
}

const actorsOf = async (id: string) =>
  (await stand.versions('alice', id)).map(({ operation, actor }) => `${operation} ${actor}`);

describe('memories become files', () => {
  test('one each, in the layout, with front matter and the text below it', async () => {
    const id = await stand.save('Alice B', {
      key: 'city',
      value: 'Berlin',
      category: 'home',
      tags: ['a', '2024'],
      importance: 0.8,
      metadata: { nested: { deep: [1, true] } },
    });
    await stand.sync();
    const path = await onlyFile();
    expect(path).toMatch(/^%41lice%20%42\/entries\/global\/facts\/\d{4}-.*Z__[\da-f-]{36}\.md$/);
    expect(path).toContain(id);
    const text = await stand.read(path);
    expect(text).toContain(
      `id: ${id}\nuser_id: Alice B\nconversation_id: global\nrole: memory\nkind: fact\n`,
    );
    expect(text).toContain(
      'category: home\nkey: city\nvalue: Berlin\ntags:\n  - a\n  - "2024"\nimportance: 0.8\n',
    );
    expect(text).toContain('version: 1\nmetadata:\n  nested:\n    deep:\n      - 1\n      - true\n---\n\n');
    expect(text.endsWith(`---\n\n${(await stand.memories('Alice B'))[0]?.content}\n`)).toBe(true);
  });

  test('a change comes to its file, and what people have added to the front matter stays', async () => {
    const id = await stand.save('alice', { content: 'Likes tea.', tags: ['drink'] });
    await stand.sync();
    const path = await onlyFile();
    await edit(path, 'tags:', '# my own order\naliases: [tea, chai]\ntags:');
    await stand.sync();
    await stand.change('alice', id, { content: 'Likes green tea.', tags: [] });
    await stand.sync();
    const text = await stand.read(path);
    expect(text).toContain('# my own order\naliases: [ tea, chai ]\n');
    expect(text).toContain('Likes green tea.\n');
    expect(text).not.toContain('drink');
    expect(await actorsOf(id)).toEqual(['ADD test', 'UPDATE test']);
  });

  test('what is replaced, deleted or archived has no file any more', async () => {
    await stand.save('alice', { key: 'city', value: 'Berlin' });
    const other = await stand.save('alice', { content: 'Likes tea.' });
    await stand.sync();
    expect(await stand.files()).toHaveLength(2);
    const id = await stand.save('alice', { key: 'city', value: 'Paris' });
    await stand.remove('alice', other);
    await stand.sync();
    expect(await onlyFile()).toContain(id);
  });

  test('what is written is not read back', async () => {
    const id = await stand.save('alice', { content: 'Likes tea.' });
    await stand.sync();
    await stand.change('alice', id, { content: 'Likes coffee.' });
    await stand.sync();
    await stand.sync();
    expect(await actorsOf(id)).toEqual(['ADD test', 'UPDATE test']);
    expect(stand.session()?.counts).toMatchObject({ written: 2, created: 0, changed: 0, deleted: 0 });
  });

  test('an expired memory loses its file', async () => {
    const id = await stand.save('alice', { content: 'Has a cold.', expires_in_days: 1 });
    await stand.sync();
    await database.query(`update memories set expires_at = now() - interval '1 second' where id = $1::uuid`, [
      id,
    ]);
    // Nobody wrote a version, so the next comparison finds it.
    await stand.crash();
    await stand.sync();
    expect(await stand.files()).toEqual([]);
  });
});

describe('files become memories', () => {
  test('a new file is a memory, gets its id, and keeps what else it says', async () => {
    const path = 'alice/entries/global/facts/My note.md';
    await stand.write(path, '---\ntags: [garden]\ncolour: green # mine\n---\n\nGrows tomatoes.\n');
    await stand.sync();
    const memory = await onlyMemory();
    expect(memory).toMatchObject({
      content: 'Grows tomatoes.',
      tags: ['garden'],
      kind: 'note',
      source: 'user',
    });
    expect(await actorsOf(memory.id)).toEqual(['ADD vault']);
    const text = await stand.read(path);
    expect(text).toContain(`id: ${memory.id}\n`);
    expect(text).toContain('colour: green # mine\n');
    expect(await stand.files()).toEqual([path]);
  });

  test('without front matter it is a note; in the folder of a conversation it is of its scope', async () => {
    await stand.write('alice/entries/trip-1/facts/a.md', 'Packs light.');
    await stand.sync();
    expect(await onlyMemory()).toMatchObject({ content: 'Packs light.', conversationId: 'trip-1' });
  });

  test('an edit of text and fields is one version, by the vault', async () => {
    const id = await stand.save('alice', { content: 'Likes tea.', tags: ['drink'] });
    await stand.sync();
    const path = await onlyFile();
    await edit(path, 'Likes tea.', 'Likes mate.');
    await edit(path, /tags:\n {2}- drink/, 'tags: [drink, argentina]\ncategory: food');
    await edit(path, 'category: general\n', '');
    await stand.sync();
    expect(await onlyMemory()).toMatchObject({
      id,
      content: 'Likes mate.',
      tags: ['drink', 'argentina'],
      category: 'food',
    });
    expect(await actorsOf(id)).toEqual(['ADD test', 'UPDATE vault']);
    // Nothing has to be written for it, so an editor keeps the file that it has open.
    expect(stand.session()?.counts.written).toBe(1);
  });

  test('a new value of a keyed fact says so in its text too', async () => {
    await stand.save('alice', { key: 'city', value: 'Berlin' });
    await stand.sync();
    await edit(await onlyFile(), 'value: Berlin', 'value: Paris');
    await stand.sync();
    const { content, value } = await onlyMemory();
    expect(value).toBe('Paris');
    expect(content).toContain('Paris');
    expect(await stand.read(await onlyFile())).toContain(`---\n\n${content}\n`);
  });

  test('a deleted file deletes its memory, which comes back with the file', async () => {
    const id = await stand.save('alice', { content: 'Likes tea.' });
    await stand.sync();
    const path = await onlyFile();
    const text = await stand.read(path);
    await unlink(stand.at(path));
    await stand.sync();
    expect(await stand.memories('alice')).toEqual([]);
    await stand.write(path, text.replace('tea', 'coffee'));
    await stand.sync();
    expect(await onlyMemory()).toMatchObject({ id, content: 'Likes coffee.' });
    expect(await actorsOf(id)).toEqual(['ADD test', 'DELETE vault', 'RESTORE vault', 'UPDATE vault']);
  });

  test('a moved file stays the file of its memory', async () => {
    const id = await stand.save('alice', { content: 'Likes tea.' });
    await stand.sync();
    const path = await onlyFile();
    const moved = 'alice/entries/global/drinks/Tea.md';
    await stand.write('alice/entries/global/drinks/.keep', '');
    await rename(stand.at(path), stand.at(moved));
    await stand.sync();
    await stand.change('alice', id, { content: 'Likes black tea.' });
    await stand.sync();
    expect(await stand.files()).toEqual([moved]);
    expect(await stand.read(moved)).toContain('Likes black tea.');
    expect(await actorsOf(id)).toEqual(['ADD test', 'UPDATE test']);
  });

  test('a file that is moved over another one deletes the memory of that one', async () => {
    const first = await stand.save('alice', { content: 'Likes tea.' });
    const second = await stand.save('alice', { content: 'Likes coffee.' });
    await stand.sync();
    const files = await stand.files();
    const pathOf = (id: string) => files.find((path) => path.includes(id)) ?? '';
    await rename(stand.at(pathOf(second)), stand.at(pathOf(first)));
    await stand.sync();
    expect(await onlyMemory()).toMatchObject({ id: second, content: 'Likes coffee.' });
    expect(await onlyFile()).toBe(pathOf(first));
  });

  test('a copy with another text is a memory of its own', async () => {
    const id = await stand.save('alice', { content: 'Likes tea.' });
    await stand.sync();
    const path = await onlyFile();
    const copy = path.replace('.md', ' (copy).md');
    await copyFile(stand.at(path), stand.at(copy));
    await edit(copy, 'Likes tea.', 'Likes coffee.');
    await stand.sync();
    const memories = await stand.memories('alice');
    expect(memories.map(({ content }) => content).toSorted()).toEqual(['Likes coffee.', 'Likes tea.']);
    const other = memories.find((memory) => memory.id !== id)?.id ?? '';
    expect(await stand.read(copy)).toContain(`id: ${other}\n`);
  });

  test('a copy with the same text is kept aside, because its memory has a file', async () => {
    await stand.save('alice', { content: 'Likes tea.' });
    await stand.sync();
    const path = await onlyFile();
    await copyFile(stand.at(path), stand.at(path.replace('.md', ' (copy).md')));
    await stand.sync();
    expect(await onlyFile()).toBe(path);
    expect(await stand.conflicts()).toHaveLength(2);
    await onlyMemory();
  });

  test('a vault of another installation is taken over once, with new ids', async () => {
    const file = (id: string, text: string) => `---\nid: ${id}\nrole: memory\n---\n\n${text}\n`;
    const [first, second] = ['0192f0c5-0000-7000-8000-000000000001', '0192f0c5-0000-7000-8000-000000000002'];
    await stand.write('alice/entries/default/facts/1.md', file(first, 'Likes tea.'));
    await stand.sync();
    const memory = await onlyMemory();
    expect(memory).toMatchObject({ content: 'Likes tea.', conversationId: 'default' });
    expect(memory.id).not.toBe(first);
    // Later an id that is not known may be that of something erased.
    await stand.write('alice/entries/default/facts/2.md', file(second, 'Likes coffee.'));
    await stand.sync();
    await onlyMemory();
    expect(await stand.report()).toContain('its id is not that of a memory here');
  });
});

describe('both sides at once', () => {
  test('both versions are kept, with a note; the memory stands', async () => {
    const id = await stand.save('alice', { content: 'Likes tea.' });
    await stand.sync();
    const path = await onlyFile();
    await edit(path, 'Likes tea.', 'Likes tea with milk.');
    await stand.change('alice', id, { content: 'Likes coffee.' });
    await stand.sync();
    expect((await onlyMemory()).content).toBe('Likes coffee.');
    expect(await stand.read(path)).toContain('Likes coffee.');
    const [kept = '', note = ''] = await stand.conflicts();
    expect(await stand.read(kept)).toContain('Likes tea with milk.');
    expect(await stand.read(note)).toContain('File and memory have both changed');
    expect(await stand.report()).toContain(kept);
  });

  test('the same change on both sides is no conflict', async () => {
    const id = await stand.save('alice', { content: 'Likes tea.' });
    await stand.sync();
    await edit(await onlyFile(), 'Likes tea.', 'Likes mate.');
    await stand.change('alice', id, { content: 'Likes mate.' });
    await stand.sync();
    expect(await stand.conflicts()).toEqual([]);
    expect(await actorsOf(id)).toEqual(['ADD test', 'UPDATE test']);
  });

  test('an edit of a file whose memory was deleted is kept aside', async () => {
    const id = await stand.save('alice', { content: 'Likes tea.' });
    await stand.sync();
    await edit(await onlyFile(), 'Likes tea.', 'Likes tea with milk.');
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
    const path = await onlyFile();
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
    await edit(await onlyFile(), 'Likes tea.', 'Likes mate.');
    await expect(stand.sync()).rejects.toMatchObject({ code: 'fenced' });
    expect((await onlyMemory()).content).toBe('Likes tea.');
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
    expect((await onlyMemory()).content).toBe('Written by hand.');
    expect(await actorsOf(id)).toEqual(['ADD test', 'UPDATE vault']);
  });

  test('before the file is replaced: the edit is kept', async () => {
    await standWith('before rename');
    const id = await stand.save('alice', { content: 'Likes tea.' });
    await stand.sync();
    await stand.change('alice', id, { content: 'Likes coffee.' });
    await stand.sync();
    expect((await onlyMemory()).content).toBe('Likes coffee.');
    const [kept = ''] = await stand.conflicts();
    expect(await stand.read(kept)).toContain('Written by hand.');
  });
});

describe('files that wait', () => {
  test.each([
    ['no closing line', '---\ntags: [a]\n\nLikes secret-word.', 'no closing line of ---'],
    ['YAML that is none', '---\ntags: [a\n---\n\nLikes secret-word.', 'not valid YAML'],
    ['a list', '---\n- a\n---\n\nLikes secret-word.', 'not a list of names and values'],
    ['a reference', '---\na: &x [1]\nb: *x\n---\n\nLikes secret-word.', 'reference'],
    ['a wrong value', '---\nimportance: lots\n---\n\nLikes secret-word.', 'importance: must be a number'],
    [
      'a date without a zone',
      '---\nvalid_from: 2026-01-01\n---\n\nsecret-word',
      'must be a time with a zone',
    ],
    [
      'another user',
      '---\nuser_id: bob\n---\n\nLikes secret-word.',
      'user_id: is not the user of this folder',
    ],
    ['a turn', '---\nrole: user\n---\n\nLikes secret-word.', 'role: must be memory'],
    ['an empty file', '', 'content: give either'],
    ['too much text', 'secret-word '.repeat(1_000), 'must have at most 8000 characters'],
    ['a NUL character', 'secret-word\u0000', 'NUL character'],
    ['a huge file', 'secret-word '.repeat(60_000), 'larger than 512 KB'],
  ])('%s: the report says why, without the text, until it is mended', async (_name, text, reason) => {
    const path = 'alice/entries/global/facts/a.md';
    await stand.write(path, text);
    await stand.sync();
    expect(await stand.memories('alice')).toEqual([]);
    expect(await stand.read(path)).toBe(text);
    const report = await stand.report();
    expect(report).toContain(`\`${path}\`: `);
    expect(report).toContain(reason);
    expect(report).not.toContain('secret-word');
    await stand.write(path, 'Likes tea.');
    await stand.sync();
    await onlyMemory();
    expect(await stand.report()).not.toContain(reason);
  });

  test('an edit that cannot be read changes nothing, and is kept when the memory changes', async () => {
    const id = await stand.save('alice', { content: 'Likes tea.', tags: ['a'] });
    await stand.sync();
    const path = await onlyFile();
    await edit(path, 'tags:', 'tags: [');
    await edit(path, 'Likes tea.', 'Likes mate.');
    await stand.sync();
    expect((await onlyMemory()).content).toBe('Likes tea.');
    expect(await stand.report()).toContain('not valid YAML');
    await stand.change('alice', id, { content: 'Likes coffee.' });
    await stand.sync();
    expect(await stand.read(path)).toContain('Likes coffee.');
    const [kept = ''] = await stand.conflicts();
    expect(await stand.read(kept)).toContain('Likes mate.');
  });

  test('a file is waited for while it is being written', async () => {
    const path = 'alice/entries/global/facts/a.md';
    for (const part of ['Likes', 'Likes to', 'Likes to swim']) {
      await stand.write(path, part);
      expect(await stand.round()).toBe(false);
    }
    expect(await stand.memories('alice')).toEqual([]);
    await stand.sync();
    expect((await onlyMemory()).content).toBe('Likes to swim');
  });

  test('what tells memories apart cannot be edited', async () => {
    await stand.save('alice', { key: 'city', value: 'Berlin' });
    await stand.sync();
    await edit(await onlyFile(), 'key: city', 'key: town');
    await stand.sync();
    expect((await onlyMemory()).key).toBe('city');
    expect(await stand.report()).toContain('key: cannot change');
  });

  test('an edit to a text that another memory has already waits', async () => {
    await stand.save('alice', { content: 'Likes tea.' });
    await stand.sync();
    const path = await onlyFile();
    await stand.save('alice', { content: 'Likes coffee.' });
    await stand.sync();
    await edit(path, 'Likes tea.', 'Likes coffee.');
    await stand.sync();
    expect(await stand.report()).toContain('Another current memory already has this key, question or text');
    expect(await stand.memories('alice')).toHaveLength(2);
  });
});

describe('paths', () => {
  test('links are not followed, and nothing behind a link counts as deleted', async () => {
    const id = await stand.save('alice', { content: 'Likes tea.' });
    await stand.sync();
    const path = await onlyFile();
    await stand.write('elsewhere.txt', 'Outside.');
    await symlink(stand.at('elsewhere.txt'), stand.at('alice/entries/global/facts/link.md'));
    await stand.sync();
    expect(await stand.report()).toContain('links are not followed');
    await rename(stand.at('alice/entries'), stand.at('moved-away'));
    await symlink(stand.at('moved-away'), stand.at('alice/entries'));
    await stand.sync();
    expect((await onlyMemory()).id).toBe(id);
    await stand.change('alice', id, { content: 'Likes coffee.' });
    await stand.sync();
    expect(await stand.read(path)).toContain('Likes tea.');
    expect(await stand.report()).toContain('a link or file stands where a folder belongs');
    await rm(stand.at('alice/entries'));
    await rename(stand.at('moved-away'), stand.at('alice/entries'));
    await stand.crash();
    await stand.sync();
    expect(await stand.read(path)).toContain('Likes coffee.');
  });

  test.each([
    ['Alice/entries/global/facts/a.md', 'not the name of a user'],
    ['unknown/entries/global/facts/a.md', 'not the name of a user'],
    ['alice/entries/Trip/facts/a.md', 'not the name of a conversation'],
    ['alice/entries/global/facts/aux.md', 'reserved'],
    ['alice/entries/global/facts/a:b.md', 'not every system allows'],
  ])('%s is refused', async (path, reason) => {
    await stand.write(path, 'Likes tea.');
    await stand.sync();
    expect(await stand.report()).toContain(`\`${path}\`: `);
    expect(await stand.report()).toContain(reason);
    const { rows } = await database.query('select 1 from memories where tenant_id = $1::uuid', [
      stand.tenantId,
    ]);
    expect(rows).toEqual([]);
  });

  test('two names that differ in case only are one name on some systems', async () => {
    await stand.write('alice/entries/global/facts/a.md', 'Likes tea.');
    await stand.sync();
    await stand.write('alice/entries/global/facts/A.md', 'Likes coffee.');
    await stand.sync();
    await onlyMemory();
    expect(await stand.report()).toContain('the same name but for upper and lower case');
  });

  test('user ids that look like paths stay in the vault', async () => {
    for (const user of ['..', '../../etc', '/etc', 'C:\\x', 'con', '.', '.factmill']) {
      await stand.save(user, { content: `Note of one.` });
    }
    await stand.sync();
    expect(await stand.files()).toHaveLength(7);
    expect((await readdir(join(stand.dir, '..'))).filter((name) => name === 'entries')).toEqual([]);
    expect((await readdir(stand.dir)).toSorted()).toEqual([
      '%2E',
      '%2E%2E',
      '%2E.%2F..%2Fetc',
      '%2Efactmill',
      '%2Fetc',
      '%43%3A%5Cx',
      '%63on',
      '.factmill',
      'factmill-report.md',
    ]);
  });
});

describe('bounds', () => {
  test('a folder that is not the vault any more deletes nothing', async () => {
    await stand.save('alice', { content: 'Likes tea.' });
    await stand.sync();
    await rm(stand.at('.factmill'), { recursive: true });
    await rm(stand.at('alice'), { recursive: true });
    await expect(stand.sync()).rejects.toMatchObject({ code: 'vault_unavailable' });
    await onlyMemory();
    // After a restart it is a new vault, which gets everything.
    await stand.crash();
    await stand.sync();
    await onlyFile();
    await onlyMemory();
  });

  test('more files and memories than allowed wait', async () => {
    await stand.close();
    stand = await createStand(database, 2);
    await stand.save('alice', { content: 'One.' });
    await stand.save('alice', { content: 'Two.' });
    await stand.sync();
    await stand.write('alice/entries/global/facts/3.md', 'Three.');
    await stand.save('alice', { content: 'Four.' });
    await stand.sync();
    expect(await stand.files()).toHaveLength(3);
    expect((await stand.memories('alice')).map(({ content }) => content).toSorted()).toEqual([
      'Four.',
      'One.',
      'Two.',
    ]);
    const report = await stand.report();
    expect(report).toContain('more files than VAULT_MAX_FILES');
    expect(report).toContain('more memories than VAULT_MAX_FILES');
  });
});
