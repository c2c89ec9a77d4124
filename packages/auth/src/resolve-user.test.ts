import { describe, expect, test } from '@jest/globals';
import { effectiveUser, resolveUser } from './resolve-user.ts';

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
      const principal = { tenantId: 't', keyId: null, keyName, pinnedUserId, permissions: new Set<never>() };
      const resolved = resolveUser(requested, principal, defaultUserId);
      expect(effectiveUser(resolved)).toBe(expected);
      expect(resolved.requested).toBe(requested ?? null);
    },
  );
});
