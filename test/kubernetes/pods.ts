import { freePort, waitFor } from '@factmill/testkit';
import { startCommand, type StartedCommand } from '../deploy/start-command.ts';
import { type Container, containerOf, type Manifest, podOf, type Probe } from './manifests.ts';

export type Pod = Readonly<{
  port: number;
  process: StartedCommand;
  /** Sends SIGTERM, as when a pod is deleted, and resolves to how the process ended within its time. */
  stop: () => Promise<Readonly<{ code: number | null; inTime: boolean; output: string }>>;
}>;

/** Probes are made more often than in a cluster, so that a test does not wait for the next one. */
const PROBE_INTERVAL_MS = 100;

/**
 * Runs the pod of a Deployment as a process, with the command of its container, and resolves when its probes say that it
 * is ready: first the one for its start, then the others. The port is one of this machine, and `root`
 * the folder of another version.
 */
export async function startPod(
  deployment: Manifest,
  environment: Readonly<Record<string, string>>,
  root?: string,
): Promise<Pod> {
  const container = containerOf(deployment);
  const port = await freePort();
  const process = startCommand(
    [...container.command, ...container.args],
    { ...environment, [`${container.name.toUpperCase()}_PORT`]: String(port) },
    root,
  );
  let isOver = false;
  void process.ended.then(() => (isOver = true));
  for (const probe of probesOf(container)) {
    await waitFor(async () => isOver || (await isGood(probe, port)), {
      timeoutMs: probe.periodSeconds * probe.failureThreshold * 1_000,
      intervalMs: PROBE_INTERVAL_MS,
      describe: `${probe.httpGet.path} of ${container.name}`,
    }).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${process.output()}`, { cause: error });
    });
    if (isOver) throw new Error(`${container.name} ended\n${process.output()}`);
  }
  const graceMs = (podOf(deployment)?.terminationGracePeriodSeconds ?? 30) * 1_000;
  return {
    port,
    process,
    async stop() {
      const startedAt = performance.now();
      const { code } = await process.stop();
      return { code, inTime: performance.now() - startedAt < graceMs, output: process.output() };
    },
  };
}

function probesOf({ startupProbe, livenessProbe, readinessProbe }: Container): readonly Probe[] {
  return [startupProbe, livenessProbe, readinessProbe].filter((probe) => probe !== undefined);
}

/** As a kubelet judges it: any status from 200 to 399 in time. */
async function isGood({ httpGet, timeoutSeconds }: Probe, port: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}${httpGet.path}`, {
    redirect: 'manual',
    headers: { connection: 'close' },
    signal: AbortSignal.timeout(timeoutSeconds * 1_000),
  });
  await answer.arrayBuffer();
  return answer.status >= 200 && answer.status < 400;
}
