import { createPool, migrate } from '@factmill/database';
import { openTestDatabase } from '@factmill/testkit/jest';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { copyFile, rename, unlink } from 'node:fs/promises';
import { actorsOf, edit, onlyFile, onlyMemory, createStand, type Stand } from './stand.fixture.ts';

const { database } = await openTestDatabase({ createPool, migrate });
let stand: Stand;

beforeEach(async () => {
  stand = await createStand(database);
});

afterEach(() => stand.close());

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
    const path = await onlyFile(stand);
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
    const path = await onlyFile(stand);
    await edit(stand, path, 'tags:', '# my own order\naliases: [tea, chai]\ntags:');
    await stand.sync();
    await stand.change('alice', id, { content: 'Likes green tea.', tags: [] });
    await stand.sync();
    const text = await stand.read(path);
    expect(text).toContain('# my own order\naliases: [ tea, chai ]\n');
    expect(text).toContain('Likes green tea.\n');
    expect(text).not.toContain('drink');
    expect(await actorsOf(stand, id)).toEqual(['ADD test', 'UPDATE test']);
  });

  test('what is replaced, deleted or archived has no file any more', async () => {
    await stand.save('alice', { key: 'city', value: 'Berlin' });
    const other = await stand.save('alice', { content: 'Likes tea.' });
    await stand.sync();
    expect(await stand.files()).toHaveLength(2);
    const id = await stand.save('alice', { key: 'city', value: 'Paris' });
    await stand.remove('alice', other);
    await stand.sync();
    expect(await onlyFile(stand)).toContain(id);
  });

  test('what is written is not read back', async () => {
    const id = await stand.save('alice', { content: 'Likes tea.' });
    await stand.sync();
    await stand.change('alice', id, { content: 'Likes coffee.' });
    await stand.sync();
    await stand.sync();
    expect(await actorsOf(stand, id)).toEqual(['ADD test', 'UPDATE test']);
    expect(stand.session()?.counts).toMatchObject({ written: 2, created: 0, changed: 0, deleted: 0 });
  });

  test('an erased user loses the files at once, and nobody else does', async () => {
    await stand.save('alice', { content: 'Likes tea.' });
    await stand.save('bob', { content: 'Likes milk.' });
    await stand.sync();
    const kept = (await stand.files()).filter((path) => path.startsWith('bob/'));
    await stand.erase('alice');
    await stand.sync();
    expect(await stand.files()).toEqual(kept);
    const { rows } = await database.query(
      'select distinct user_id from vault_files where tenant_id = $1::uuid',
      [stand.tenantId],
    );
    expect(rows).toEqual([{ user_id: 'bob' }]);
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
    const memory = await onlyMemory(stand);
    expect(memory).toMatchObject({
      content: 'Grows tomatoes.',
      tags: ['garden'],
      kind: 'note',
      source: 'user',
    });
    expect(await actorsOf(stand, memory.id)).toEqual(['ADD vault']);
    const text = await stand.read(path);
    expect(text).toContain(`id: ${memory.id}\n`);
    expect(text).toContain('colour: green # mine\n');
    expect(await stand.files()).toEqual([path]);
  });

  test('without front matter it is a note; in the folder of a conversation it is of its scope', async () => {
    await stand.write('alice/entries/trip-1/facts/a.md', 'Packs light.');
    await stand.sync();
    expect(await onlyMemory(stand)).toMatchObject({ content: 'Packs light.', conversationId: 'trip-1' });
  });

  test('an edit of text and fields is one version, by the vault', async () => {
    const id = await stand.save('alice', { content: 'Likes tea.', tags: ['drink'] });
    await stand.sync();
    const path = await onlyFile(stand);
    await edit(stand, path, 'Likes tea.', 'Likes mate.');
    await edit(stand, path, /tags:\n {2}- drink/, 'tags: [drink, argentina]\ncategory: food');
    await edit(stand, path, 'category: general\n', '');
    await stand.sync();
    expect(await onlyMemory(stand)).toMatchObject({
      id,
      content: 'Likes mate.',
      tags: ['drink', 'argentina'],
      category: 'food',
    });
    expect(await actorsOf(stand, id)).toEqual(['ADD test', 'UPDATE vault']);
    // Nothing has to be written for it, so an editor keeps the file that it has open.
    expect(stand.session()?.counts.written).toBe(1);
  });

  test('a new value of a keyed fact says so in its text too', async () => {
    await stand.save('alice', { key: 'city', value: 'Berlin' });
    await stand.sync();
    await edit(stand, await onlyFile(stand), 'value: Berlin', 'value: Paris');
    await stand.sync();
    const { content, value } = await onlyMemory(stand);
    expect(value).toBe('Paris');
    expect(content).toContain('Paris');
    expect(await stand.read(await onlyFile(stand))).toContain(`---\n\n${content}\n`);
  });

  test('a deleted file deletes its memory, which comes back with the file', async () => {
    const id = await stand.save('alice', { content: 'Likes tea.' });
    await stand.sync();
    const path = await onlyFile(stand);
    const text = await stand.read(path);
    await unlink(stand.at(path));
    await stand.sync();
    expect(await stand.memories('alice')).toEqual([]);
    await stand.write(path, text.replace('tea', 'coffee'));
    await stand.sync();
    expect(await onlyMemory(stand)).toMatchObject({ id, content: 'Likes coffee.' });
    expect(await actorsOf(stand, id)).toEqual(['ADD test', 'DELETE vault', 'RESTORE vault', 'UPDATE vault']);
  });

  test('a moved file stays the file of its memory', async () => {
    const id = await stand.save('alice', { content: 'Likes tea.' });
    await stand.sync();
    const path = await onlyFile(stand);
    const moved = 'alice/entries/global/drinks/Tea.md';
    await stand.write('alice/entries/global/drinks/.keep', '');
    await rename(stand.at(path), stand.at(moved));
    await stand.sync();
    await stand.change('alice', id, { content: 'Likes black tea.' });
    await stand.sync();
    expect(await stand.files()).toEqual([moved]);
    expect(await stand.read(moved)).toContain('Likes black tea.');
    expect(await actorsOf(stand, id)).toEqual(['ADD test', 'UPDATE test']);
  });

  test('a new file that is moved while its memory changes is written once, where it is now', async () => {
    const moved = 'alice/entries/global/facts/moved.md';
    await stand.write('alice/entries/global/facts/canoe.md', 'The user has a canoe.\n');
    await stand.round();
    await stand.round();
    const { id } = await onlyMemory(stand);
    await stand.change('alice', id, { content: 'The user has a red canoe.' });
    await rename(stand.at(await onlyFile(stand)), stand.at(moved));
    await stand.sync();
    expect(await stand.files()).toEqual([moved]);
    expect(await stand.read(moved)).toContain('red canoe');
  });

  test('a file that is moved over another one deletes the memory of that one', async () => {
    const first = await stand.save('alice', { content: 'Likes tea.' });
    const second = await stand.save('alice', { content: 'Likes coffee.' });
    await stand.sync();
    const files = await stand.files();
    const pathOf = (id: string) => files.find((path) => path.includes(id)) ?? '';
    await rename(stand.at(pathOf(second)), stand.at(pathOf(first)));
    await stand.sync();
    expect(await onlyMemory(stand)).toMatchObject({ id: second, content: 'Likes coffee.' });
    expect(await onlyFile(stand)).toBe(pathOf(first));
  });

  test('a copy with another text is a memory of its own', async () => {
    const id = await stand.save('alice', { content: 'Likes tea.' });
    await stand.sync();
    const path = await onlyFile(stand);
    const copy = path.replace('.md', ' (copy).md');
    await copyFile(stand.at(path), stand.at(copy));
    await edit(stand, copy, 'Likes tea.', 'Likes coffee.');
    await stand.sync();
    const memories = await stand.memories('alice');
    expect(memories.map(({ content }) => content).toSorted()).toEqual(['Likes coffee.', 'Likes tea.']);
    const other = memories.find((memory) => memory.id !== id)?.id ?? '';
    expect(await stand.read(copy)).toContain(`id: ${other}\n`);
  });

  test('a copy with the same text is kept aside, because its memory has a file', async () => {
    await stand.save('alice', { content: 'Likes tea.' });
    await stand.sync();
    const path = await onlyFile(stand);
    await copyFile(stand.at(path), stand.at(path.replace('.md', ' (copy).md')));
    await stand.sync();
    expect(await onlyFile(stand)).toBe(path);
    expect(await stand.conflicts()).toHaveLength(2);
    await onlyMemory(stand);
  });

  test('a vault of another installation is taken over once, with new ids', async () => {
    const file = (id: string, text: string) => `---\nid: ${id}\nrole: memory\n---\n\n${text}\n`;
    const [first, second] = ['0192f0c5-0000-7000-8000-000000000001', '0192f0c5-0000-7000-8000-000000000002'];
    await stand.write('alice/entries/default/facts/1.md', file(first, 'Likes tea.'));
    await stand.sync();
    const memory = await onlyMemory(stand);
    expect(memory).toMatchObject({ content: 'Likes tea.', conversationId: 'default' });
    expect(memory.id).not.toBe(first);
    // Later an id that is not known may be that of something erased.
    await stand.write('alice/entries/default/facts/2.md', file(second, 'Likes coffee.'));
    await stand.sync();
    await onlyMemory(stand);
    expect(await stand.report()).toContain('its id is not that of a memory here');
  });
});
