const SESSIONS = ['services/gateway/src/console/sessions.int.test.ts'];
const ACCESS = 'services/gateway/src/console/session-access.ts';
const INSIGHT = ['services/gateway/src/routes/insight.int.test.ts'];

/** @type {readonly import('./mutation.mjs').Mutation[]} */
export const consoleOf = [
  {
    name: 'a session outlives its key',
    file: 'packages/auth/src/sessions.ts',
    search: 'if (key === null || key.revokedAt !== null) return null;',
    replace: 'if (key === null) return null;',
    tests: SESSIONS,
  },
  {
    name: 'a session never ends of idleness',
    file: 'packages/auth/src/sessions.ts',
    search: 'Math.min(untilMs, seenMs + SESSION_IDLE_MS)',
    replace: 'Math.min(untilMs, seenMs + SESSION_LIFETIME_MS)',
    tests: SESSIONS,
  },
  {
    name: 'a session fits every key of the administrator',
    file: 'packages/auth/src/sessions.ts',
    search: 'return isOf(adminSha256) ? operatorOf(deps.defaultTenantId) : null;',
    replace: 'return operatorOf(deps.defaultTenantId);',
    tests: SESSIONS,
  },
  {
    name: 'a session changes things from an allowed origin',
    file: ACCESS,
    search: 'if (token !== null && !isOwn) {',
    replace: 'if (token === undefined && !isOwn) {',
    tests: SESSIONS,
  },
  {
    name: 'a session calls the memory tool',
    file: ACCESS,
    search: 'if (!isEnabled || FOR_KEYS_ONLY.test(path)) return null;',
    replace: 'if (!isEnabled) return null;',
    tests: SESSIONS,
  },
  {
    name: 'signing out leaves the session',
    file: 'services/gateway/src/console/console-session-routes.ts',
    search: '(tx) => deleteConsoleSession(tx, sha256(token)),',
    replace: '() => Promise.resolve(true),',
    tests: SESSIONS,
  },
  {
    name: 'a stream of events outlives its session',
    file: 'services/gateway/src/routes/events.ts',
    search: 'if (session !== null) await',
    replace: 'if (session === undefined) await',
    tests: SESSIONS,
  },
  {
    name: 'answers of models for every reader',
    file: 'services/gateway/src/routes/extraction-insight.ts',
    search: "requirePermission('admin')",
    replace: 'read',
    tests: INSIGHT,
  },
];
