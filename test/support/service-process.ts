import { fileURLToPath } from 'node:url';
import { freePort, type RunningProcess, startProcess } from '@factmill/testkit';

export type ServiceName = 'gateway' | 'extractor' | 'retrieval';

export type ServiceProcess = RunningProcess & Readonly<{ url: string; port: number }>;

const PORT_NAMES = { gateway: 'GATEWAY_PORT', extractor: 'EXTRACTOR_PORT', retrieval: 'RETRIEVAL_PORT' } as const;

/** The file that production starts, as a source. */
export function entryOf(service: ServiceName | 'standalone'): string {
  return fileURLToPath(new URL(`../../services/${service}/src/main.ts`, import.meta.url));
}

/** Starts a service as production does, on a free port unless the environment names one; resolves when it is ready. */
export async function startService(
  service: ServiceName,
  env: Readonly<Record<string, string>>,
): Promise<ServiceProcess> {
  const port = Number(env[PORT_NAMES[service]] ?? (await freePort()));
  const url = `http://127.0.0.1:${port}`;
  const running = await startProcess({
    entry: entryOf(service),
    env: { LOG_LEVEL: 'warn', EMBEDDING_PROVIDER: 'none', ...env, [PORT_NAMES[service]]: String(port) },
    readyWhen: `${url}/readyz`,
  });
  return { ...running, url, port };
}

/** Starts a service that is expected to end by itself, and returns its exit code and what it wrote. */
export async function runToEnd(
  service: ServiceName | 'standalone',
  env: Readonly<Record<string, string>>,
): Promise<Readonly<{ code: number | null; output: string }>> {
  const running = await startProcess({ entry: entryOf(service), env: { LOG_LEVEL: 'warn', ...env } });
  const { code } = await running.exit;
  return { code, output: running.output() };
}
