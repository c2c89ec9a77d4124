import { createPool, migrate } from '@factmill/database';
import { openTestDatabase } from '@factmill/testkit/jest';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { edit, onlyFile, onlyMemory, createStand, type Stand } from './stand.fixture.ts';

const { database } = await openTestDatabase({ createPool, migrate });
let stand: Stand;

beforeEach(async () => {
  stand = await createStand(database);
});

afterEach(() => stand.close());

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
    await onlyMemory(stand);
    expect(await stand.report()).not.toContain(reason);
  });

  test('an edit that cannot be read changes nothing, and is kept when the memory changes', async () => {
    const id = await stand.save('alice', { content: 'Likes tea.', tags: ['a'] });
    await stand.sync();
    const path = await onlyFile(stand);
    await edit(stand, path, 'tags:', 'tags: [');
    await edit(stand, path, 'Likes tea.', 'Likes mate.');
    await stand.sync();
    expect((await onlyMemory(stand)).content).toBe('Likes tea.');
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
    expect((await onlyMemory(stand)).content).toBe('Likes to swim');
  });

  test('what tells memories apart cannot be edited', async () => {
    await stand.save('alice', { key: 'city', value: 'Berlin' });
    await stand.sync();
    await edit(stand, await onlyFile(stand), 'key: city', 'key: town');
    await stand.sync();
    expect((await onlyMemory(stand)).key).toBe('city');
    expect(await stand.report()).toContain('key: cannot change');
  });

  test('an edit to a text that another memory has already waits', async () => {
    await stand.save('alice', { content: 'Likes tea.' });
    await stand.sync();
    const path = await onlyFile(stand);
    await stand.save('alice', { content: 'Likes coffee.' });
    await stand.sync();
    await edit(stand, path, 'Likes tea.', 'Likes coffee.');
    await stand.sync();
    expect(await stand.report()).toContain('Another current memory already has this key, question or text');
    expect(await stand.memories('alice')).toHaveLength(2);
  });
});

describe('paths', () => {
  test('links are not followed, and nothing behind a link counts as deleted', async () => {
    const id = await stand.save('alice', { content: 'Likes tea.' });
    await stand.sync();
    const path = await onlyFile(stand);
    await stand.write('elsewhere.txt', 'Outside.');
    await symlink(stand.at('elsewhere.txt'), stand.at('alice/entries/global/facts/link.md'));
    await stand.sync();
    expect(await stand.report()).toContain('links are not followed');
    await rename(stand.at('alice/entries'), stand.at('moved-away'));
    await symlink(stand.at('moved-away'), stand.at('alice/entries'));
    await stand.sync();
    expect((await onlyMemory(stand)).id).toBe(id);
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
    await onlyMemory(stand);
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
    await onlyMemory(stand);
    // After a restart it is a new vault, which gets everything.
    await stand.crash();
    await stand.sync();
    await onlyFile(stand);
    await onlyMemory(stand);
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
