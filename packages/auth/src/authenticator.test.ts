import { describe, expect, test } from '@jest/globals';
import { AppError } from '@factmill/errors';
import { generateApiKey, generateSecret } from './api-key.ts';
import { type AuthenticatorDeps, createAuthenticator } from './authenticator.ts';
import type { StoredKey } from './principal.ts';

const ADMIN_KEY = 'an-administrators-key-of-the-environment';
const TENANT = '01930000-0000-7000-8000-000000000001';
const NOW = new Date('2026-01-01T00:00:00Z');

function setUp(overrides: Partial<AuthenticatorDeps> = {}) {
  const stored = new Map<string, StoredKey>();
  const looked: string[] = [];
  const used: string[] = [];
  const authenticator = createAuthenticator({
    mode: 'required',
    adminKey: ADMIN_KEY,
    isLoopback: true,
    defaultTenantId: 'default-tenant',
    findKey: (id) => {
      looked.push(id);
      return Promise.resolve(stored.get(id) ?? null);
    },
    noteUse: ({ id }) => {
      used.push(id);
      return Promise.resolve();
    },
    now: () => NOW,
    ...overrides,
  });
  const addKey = (fields: Partial<StoredKey> = {}) => {
    const { id, key, secretSha256 } = generateApiKey();
    stored.set(id, {
      id,
      tenantId: TENANT,
      secretSha256,
      name: 'desk',
      permissions: ['memory.read'],
      userId: null,
      userLocked: false,
      preset: null,
      expiresAt: null,
      revokedAt: null,
      ...fields,
    });
    return { id, key };
  };
  return { authenticator, stored, looked, used, addKey };
}

const refused = { code: 'unauthorized', kind: 'unauthorized' };

describe('authenticate', () => {
  test('a key in force says who is asking', async () => {
    const { authenticator, addKey } = setUp();
    const { id, key } = addKey({ userId: 'ada', permissions: ['memory.read', 'queue.read'] });
    expect(await authenticator.authenticate(key)).toEqual({
      tenantId: TENANT,
      keyId: id,
      keyName: 'desk',
      pinnedUserId: 'ada',
      isLocked: false,
      preset: null,
      permissions: new Set(['memory.read', 'queue.read']),
      expiresAt: null,
    });
  });

  test('a rotated key is known by its new secret at once, and by the old one until its end', async () => {
    let now = NOW;
    const { authenticator, stored, addKey } = setUp({ now: () => now });
    const { id, key } = addKey();
    await authenticator.authenticate(key);
    const rotated = generateSecret(id);
    const before = stored.get(id);
    if (before === undefined) throw new Error('the key was added');
    const until = new Date(NOW.getTime() + 60_000);
    stored.set(id, {
      ...before,
      secretSha256: rotated.secretSha256,
      previousSha256: before.secretSha256,
      previousUntil: until,
    });
    now = new Date(NOW.getTime() + 1_000);
    expect(await authenticator.authenticate(rotated.key)).toMatchObject({ keyId: id, expiresAt: null });
    expect(await authenticator.authenticate(key)).toMatchObject({ keyId: id, expiresAt: until });
    now = until;
    await expect(authenticator.authenticate(key)).rejects.toMatchObject(refused);
    expect(await authenticator.authenticate(rotated.key)).toMatchObject({ keyId: id });
  });

  test('that a key was used is noted once a minute', async () => {
    let now = NOW;
    const { authenticator, used, addKey } = setUp({ now: () => now });
    const { id, key } = addKey();
    for (const seconds of [0, 30, 59, 60, 61]) {
      now = new Date(NOW.getTime() + seconds * 1_000);
      await authenticator.authenticate(key);
    }
    expect(used).toEqual([id, id]);
  });

  test('nothing, a foreign token, an unknown key and a wrong secret are refused', async () => {
    const { authenticator, addKey } = setUp();
    const { id } = addKey();
    for (const credential of [null, 'sk-foreign', generateApiKey().key, `fm_${id}_${'x'.repeat(43)}`]) {
      await expect(authenticator.authenticate(credential)).rejects.toMatchObject(refused);
    }
  });

  test('no refusal quotes what was presented', async () => {
    const { authenticator } = setUp();
    const { key } = generateApiKey();
    const error = await authenticator.authenticate(key).catch((thrown: unknown) => thrown);
    expect(JSON.stringify([(error as AppError).message, (error as AppError).fields])).not.toContain(
      key.slice(3, 19),
    );
  });

  test('operators: the administrator’s key, keys with that permission, and local callers without authentication', async () => {
    const may = async (overrides: Partial<AuthenticatorDeps>, credential: string | null) =>
      (await setUp(overrides).authenticator.authenticate(credential)).permissions.has('operator');
    expect(await may({}, ADMIN_KEY)).toBe(true);
    expect(await may({ mode: 'none' }, null)).toBe(true);
    expect(await may({ mode: 'none', isLoopback: false }, null)).toBe(false);
    expect(await may({ mode: 'none', isLoopback: false }, ADMIN_KEY)).toBe(true);
    const { authenticator, addKey } = setUp();
    const { key } = addKey({ permissions: ['operator'], userId: null });
    expect(await authenticator.authenticate(key)).toMatchObject({ permissions: new Set(['operator']) });
    const locked = addKey({ userId: 'ada', userLocked: true });
    expect(await authenticator.authenticate(locked.key)).toMatchObject({
      pinnedUserId: 'ada',
      isLocked: true,
      preset: null,
    });
  });

  test('a revoked key and an expired one are refused; one that expires later is not', async () => {
    const { authenticator, addKey } = setUp();
    await expect(authenticator.authenticate(addKey({ revokedAt: NOW }).key)).rejects.toMatchObject(refused);
    await expect(authenticator.authenticate(addKey({ expiresAt: NOW }).key)).rejects.toThrow(/expired/);
    const later = addKey({ expiresAt: new Date(NOW.getTime() + 1) });
    expect((await authenticator.authenticate(later.key)).keyId).toBe(later.id);
  });

  test('a key expires while it is cached', async () => {
    let now = NOW;
    const { authenticator, addKey } = setUp({ now: () => now });
    const { key } = addKey({ expiresAt: new Date(NOW.getTime() + 1_000) });
    await authenticator.authenticate(key);
    now = new Date(NOW.getTime() + 1_000);
    await expect(authenticator.authenticate(key)).rejects.toThrow(/expired/);
  });

  test('a key is looked up once, an unknown one too', async () => {
    const { authenticator, addKey, looked } = setUp();
    const { id, key } = addKey();
    const unknown = generateApiKey();
    for (let round = 0; round < 3; round += 1) {
      await authenticator.authenticate(key);
      await expect(authenticator.authenticate(unknown.key)).rejects.toMatchObject(refused);
    }
    expect(looked).toEqual([id, unknown.id]);
  });

  test('a revoked key is refused at once where it was revoked', async () => {
    const { authenticator, addKey, stored } = setUp();
    const { id, key } = addKey();
    await authenticator.authenticate(key);
    stored.set(id, { ...(stored.get(id) as StoredKey), revokedAt: NOW });
    authenticator.forget(id);
    await expect(authenticator.authenticate(key)).rejects.toMatchObject(refused);
  });

  test('when the store cannot be asked, that is what the caller hears, and it is asked again', async () => {
    let isDown = true;
    const { key, id, secretSha256 } = generateApiKey();
    const { authenticator } = setUp({
      findKey: () =>
        isDown
          ? Promise.reject(new AppError('database_unavailable', 'away'))
          : Promise.resolve({
              id,
              tenantId: TENANT,
              secretSha256,
              name: 'desk',
              permissions: [],
              userId: null,
              userLocked: false,
              preset: null,
              expiresAt: null,
              revokedAt: null,
            }),
    });
    await expect(authenticator.authenticate(key)).rejects.toMatchObject({ code: 'database_unavailable' });
    isDown = false;
    expect((await authenticator.authenticate(key)).keyId).toBe(id);
  });

  describe('while the store does not answer', () => {
    const away = () => Promise.reject(new AppError('database_unavailable', 'away'));
    const never = () => new Promise<never>(() => undefined);
    const minutes = (count: number) => new Date(NOW.getTime() + count * 60_000);

    test.each([
      ['fails', away],
      ['hangs', never],
    ])('and %s, a key that was in force stays so for ten minutes', async (_how, findKey) => {
      let now = NOW;
      let isAway = false;
      const stored = new Map<string, StoredKey>();
      const { authenticator } = setUp({
        now: () => now,
        findKey: (id) => (isAway ? findKey() : Promise.resolve(stored.get(id) ?? null)),
      });
      const { id, key, secretSha256 } = generateApiKey();
      const inForce = {
        id,
        tenantId: TENANT,
        secretSha256,
        name: 'desk',
        permissions: [],
        userId: null,
        userLocked: false,
        preset: null,
      };
      stored.set(id, { ...inForce, expiresAt: minutes(8), revokedAt: null });
      await authenticator.authenticate(key);
      isAway = true;
      now = minutes(1);
      expect((await authenticator.authenticate(key)).keyId).toBe(id);
      const wrong = `fm_${id}_${'x'.repeat(43)}`;
      await expect(authenticator.authenticate(wrong)).rejects.toMatchObject(refused);
      now = minutes(8);
      await expect(authenticator.authenticate(key)).rejects.toThrow(/expired/);

      if (findKey !== away) return;
      now = minutes(10);
      await expect(authenticator.authenticate(key)).rejects.toMatchObject({ code: 'database_unavailable' });
      isAway = false;
      stored.set(id, { ...inForce, expiresAt: null, revokedAt: NOW });
      await expect(authenticator.authenticate(key)).rejects.toMatchObject(refused);
      isAway = true;
      now = minutes(12);
      await expect(authenticator.authenticate(key)).rejects.toMatchObject(refused);
    });

    test('what is wrong with the store otherwise is not covered up', async () => {
      let now = NOW;
      let isBroken = false;
      const { id, key, secretSha256 } = generateApiKey();
      const { authenticator } = setUp({
        now: () => now,
        findKey: () =>
          isBroken
            ? Promise.reject(new AppError('internal', 'broken'))
            : Promise.resolve({
                id,
                tenantId: TENANT,
                secretSha256,
                name: 'desk',
                permissions: [],
                userId: null,
                userLocked: false,
                preset: null,
                expiresAt: null,
                revokedAt: null,
              }),
      });
      await authenticator.authenticate(key);
      isBroken = true;
      now = minutes(1);
      await expect(authenticator.authenticate(key)).rejects.toMatchObject({ code: 'internal' });
    });
  });

  test('the key of the environment may do everything in the default tenant', async () => {
    const { authenticator, looked } = setUp();
    const principal = await authenticator.authenticate(ADMIN_KEY);
    expect(principal).toMatchObject({ tenantId: 'default-tenant', keyId: null, keyName: null });
    expect(principal.permissions.has('admin')).toBe(true);
    expect(looked).toEqual([]);
    await expect(setUp({ adminKey: null }).authenticator.authenticate(ADMIN_KEY)).rejects.toMatchObject(
      refused,
    );
  });
});

describe('AUTH=none', () => {
  test('every caller is accepted, even with another service’s token', async () => {
    const { authenticator } = setUp({ mode: 'none' });
    for (const credential of [null, 'sk-foreign']) {
      expect((await authenticator.authenticate(credential)).tenantId).toBe('default-tenant');
    }
  });

  test('a key still counts: a good one for its tenant, a bad one is refused', async () => {
    const { authenticator, addKey } = setUp({ mode: 'none' });
    expect((await authenticator.authenticate(addKey().key)).tenantId).toBe(TENANT);
    await expect(authenticator.authenticate(generateApiKey().key)).rejects.toMatchObject(refused);
  });
});
