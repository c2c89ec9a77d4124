import { describe, expect, test } from '@jest/globals';
import { startProcess, waitFor, patiently } from '@factmill/testkit';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';

// Each test starts a process of its own.
const ENTRY = fileURLToPath(new URL('./run-process.fixture.ts', import.meta.url));

const start = (args: readonly string[], env: Record<string, string> = {}, readyWhen?: RegExp) =>
  startProcess({
    entry: ENTRY,
    args,
    env: { SHUTDOWN_GRACE_MS: '0', ...env },
    cwd: tmpdir(),
    ...(readyWhen === undefined ? {} : { readyWhen }),
  });

describe('a service process', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'stops on %s: closes what it opened and exits 0, in under 2 s',
    async (signal) => {
      const child = await start(['ok'], {}, /"started"/);
      const sentAt = performance.now();
      await child.kill(signal);
      expect(await child.exit).toEqual({ code: 0, signal: null });
      expect(performance.now() - sentAt).toBeLessThan(patiently(2_000));
      expect(child.output()).toContain('"closed"');
    },
  );

  test('that does not stop in time ends itself', async () => {
    const child = await start(['ok', 'hang'], {}, /"started"/);
    await child.kill('SIGTERM');
    expect((await child.exit).code).toBe(1);
    expect(child.output()).toContain('did not stop in time');
  });

  test('ends at once when asked again', async () => {
    const child = await start(['ok', 'hang'], { SHUTDOWN_GRACE_MS: '60000' }, /"started"/);
    // A terminal sends one Ctrl-C more than once, so signals that come close together count as one.
    await waitFor(
      () => {
        if (child.isRunning()) process.kill(child.pid, 'SIGINT');
        return !child.isRunning();
      },
      { describe: 'the second signal to end the process', intervalMs: 200 },
    );
    expect((await child.exit).code).toBe(130);
  });

  test.each([
    ['refuse', {}, /^fixture: Port 1 is taken\.$/m],
    [
      'ok',
      { GATEWAY_PORT: 'hidden', LOG_LEVEL: 'hidden' },
      /^fixture: The configuration is not valid\. GATEWAY_PORT: .*; LOG_LEVEL: /m,
    ],
    [
      'ok',
      { LLM_API_KEY_FILE: '/hidden/key' },
      /^fixture: The configuration is not valid\. LLM_API_KEY_FILE: names a file .* \(ENOENT\)\.$/m,
    ],
    ['throw', {}, /could not start/],
  ])('that cannot start (%s) says why and exits 1', async (how, env, sentence) => {
    const child = await start([how], env);
    expect((await child.exit).code).toBe(1);
    expect(child.output()).toMatch(sentence);
    expect(child.output()).not.toMatch(/secret words|hidden/);
  });

  test.each([
    ['reject-later', 'ok', 'unhandled error'],
    ['ok', 'throw', 'stopped with an error'],
  ])(
    'in an unknown state (%s, %s) exits 1 and tells, without the error’s text',
    async (how, close, message) => {
      // A process that ends by itself may exit before the test sees its ready line.
      const child = await start([how, close], {}, how === 'ok' ? /"started"/ : undefined);
      if (how === 'ok') await child.kill('SIGTERM');
      expect((await child.exit).code).toBe(1);
      expect(child.output()).toContain('"started"');
      expect(child.output()).toContain(message);
      expect(child.output()).not.toContain('secret words');
    },
  );
});
