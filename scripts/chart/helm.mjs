import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { capture, lastLines } from '../capture.mjs';
import { Failure } from '../failure.mjs';
import { findProgram } from '../services/local-binaries.mjs';

const HELM = { version: 'v4.3.1', package: 'helm.sh/helm/v4/cmd/helm', goMinor: 26 };
/** The oldest Helm that knows all that the chart's tests ask of it. */
const OLDEST_MINOR_OF_3 = 14;

/**
 * The path of Helm: that of this machine, or one that Go builds once. Nothing of the machine is changed.
 * @param {string} folder where a built one is kept; for root it is a system-wide one instead
 * @param {(line: string) => void} log
 * @returns {Promise<string>}
 */
export async function provideHelm(folder, log) {
  const own = await findProgram('helm');
  if (own !== undefined && (await isFitting(own))) return own;
  const built = join(
    process.getuid?.() === 0 ? '/var/cache/factmill' : folder,
    `helm-${HELM.version}`,
    'helm',
  );
  if (await isFitting(built)) return built;
  const go = await findProgram('go');
  if (go === undefined || !(await isNewEnough(go))) {
    throw new Failure(
      `The chart cannot be tested: install Helm 3.${OLDEST_MINOR_OF_3} or later, or Go 1.${HELM.goMinor}, which builds it.`,
    );
  }
  log(`Building Helm ${HELM.version} with Go, once (a few minutes, 80 MB)…`);
  await build(go, built);
  return built;
}

/** @param {string} helm */
async function isFitting(helm) {
  const { code, stdout } = await capture(helm, ['version', '--template', '{{.Version}}'], {
    timeoutMs: 30_000,
  });
  const [, major = 0, minor = 0] = (/^v(\d+)\.(\d+)/.exec(stdout.trim()) ?? []).map(Number);
  return code === 0 && (major > 3 || (major === 3 && minor >= OLDEST_MINOR_OF_3));
}

/** @param {string} go */
async function isNewEnough(go) {
  const { stdout } = await capture(go, ['env', 'GOVERSION'], { timeoutMs: 30_000 });
  return Number(/^go1\.(\d+)/.exec(stdout.trim())?.[1] ?? 0) >= HELM.goMinor;
}

/**
 * The folder appears by one rename, so an interrupted run never leaves half of it.
 * @param {string} go
 * @param {string} target
 */
async function build(go, target) {
  const unfinished = `${dirname(target)}.unfinished-${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  try {
    // At the lowest priority: tests may run beside it. Without optimization, it is built in half of the time.
    const flags = ['-gcflags=all=-N -l', '-ldflags=-s -w'];
    const result = await capture(
      'nice',
      ['-n', '19', go, 'install', ...flags, `${HELM.package}@${HELM.version}`],
      { env: { ...process.env, GOBIN: unfinished, CGO_ENABLED: '0' } },
    );
    if (result.code !== 0) throw new Failure(`Go could not build Helm: ${lastLines(result.stderr)}`);
    await rename(unfinished, dirname(target)).catch(() => {
      // Another run was faster; its copy is the same.
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}
