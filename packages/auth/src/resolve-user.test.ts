import { describe, expect, test } from '@jest/globals';
import type { Permission } from '@factmill/contracts';
import type { Principal } from './principal.ts';
import { assertAllUsers, effectiveUser, ownerOf, resolveUser, userOrAll } from './resolve-user.ts';

function principal(fields: Partial<Principal> = {}, permissions: Permission[] = []): Principal {
  const none = {
    tenantId: 't',
    keyId: null,
    keyName: null,
    pinnedUserId: null,
    isLocked: false,
    preset: null,
    expiresAt: null,
  };
  return { ...none, ...fields, permissions: new Set(permissions) };
}

const locked = principal({ pinnedUserId: 'ada', isLocked: true, keyName: 'desk' });
const refused = { code: 'user_locked', kind: 'forbidden' };

describe('who a request is about (A10)', () => {
  test.each([
    // request, pinned, key name, default → user
    ['ada', 'pinned', 'desk', 'everyone', 'ada'],
    [undefined, 'pinned', 'desk', 'everyone', 'pinned'],
    [undefined, null, 'desk', 'everyone', 'desk'],
    [undefined, null, null, 'everyone', 'everyone'],
    [undefined, null, null, 'unknown', 'unknown'],
    [undefined, null, null, '', 'unknown'],
    ['unknown', 'pinned', 'desk', 'everyone', 'unknown'],
  ])(
    'request %j, pinned %j, key %j, default %j → %j',
    (requested, pinnedUserId, keyName, defaultUserId, expected) => {
      const resolved = resolveUser(requested, principal({ keyName, pinnedUserId }), defaultUserId);
      expect(effectiveUser(resolved)).toBe(expected);
      expect(resolved.requested).toBe(requested ?? null);
    },
  );
});

describe('a key that is locked to a user', () => {
  test('answers for that user, before any conversation does', () => {
    expect(resolveUser(undefined, locked, 'everyone')).toEqual({ requested: 'ada', fallback: 'ada' });
    expect(resolveUser('ada', locked, 'everyone').requested).toBe('ada');
    expect(ownerOf(undefined, locked)).toBe('ada');
    expect(userOrAll({}, locked)).toBe('ada');
    expect(userOrAll({ user_id: 'ada' }, locked)).toBe('ada');
  });

  test.each(['bob', 'Ada', 'ada ', 'unknown', ''])('refuses %j', (other) => {
    for (const ask of [
      () => resolveUser(other, locked, ''),
      () => ownerOf(other, locked),
      () => userOrAll({ user_id: other }, locked),
    ]) {
      expect(ask).toThrow(expect.objectContaining(refused));
    }
  });

  test('never reaches all users, whatever its permissions', () => {
    const mighty = { ...locked, permissions: new Set<Permission>(['admin', 'memory.read_all']) };
    expect(() => assertAllUsers(mighty)).toThrow(expect.objectContaining(refused));
    expect(() => userOrAll({ all_users: true }, mighty)).toThrow(expect.objectContaining(refused));
  });
});

describe('whose entries a list has', () => {
  const reader = principal({}, ['memory.read_all']);
  const pinned = principal({ pinnedUserId: 'ada' });

  test('one user: the one that is named, else the key’s', () => {
    expect(userOrAll({ user_id: 'bob' }, principal())).toBe('bob');
    expect(userOrAll({ user_id: 'bob' }, pinned)).toBe('bob');
    expect(userOrAll({}, pinned)).toBe('ada');
    expect(userOrAll({ all_users: false }, pinned)).toBe('ada');
  });

  test('all users only with memory.read_all', () => {
    for (const [asked, key] of [
      [{}, principal({ keyName: 'desk' })],
      [{ all_users: true }, pinned],
      [{ all_users: true, user_id: 'bob' }, principal()],
    ] as const) {
      expect(() => userOrAll(asked, key)).toThrow(/memory\.read_all/);
    }
    expect(userOrAll({}, reader)).toBeNull();
    expect(userOrAll({}, principal({}, ['admin']))).toBeNull();
    expect(userOrAll({ all_users: true }, principal({ pinnedUserId: 'ada' }, ['admin']))).toBeNull();
  });
});
