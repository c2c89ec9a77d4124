import { fileURLToPath } from 'node:url';
import { type RunningProcess, startProcess } from '@factmill/testkit';

export type ServiceName = 'gateway' | 'extractor' | 'retrieval';

export type ServiceProcess = RunningProcess & Readonly<{ url: string }>;

/** The line that each service logs when it serves. */
const READY =
  /"url":"(http[^"]+)"[^\n]*"msg":"(?:gateway is listening|retrieval is listening|extractor is working)"/;

/** The file that production starts, as a source. */
export function entryOf(service: ServiceName | 'standalone'): string {
  return fileURLToPath(new URL(`../../services/${service}/src/main.ts`, import.meta.url));
}

/** Starts a service as production does, on any free port; resolves when it serves. */
export async function startService(
  service: ServiceName,
  env: Readonly<Record<string, string>>,
): Promise<ServiceProcess> {
  const running = await startProcess({
    entry: entryOf(service),
    env: {
      EMBEDDING_PROVIDER: 'none',
      GATEWAY_PORT: '0',
      EXTRACTOR_PORT: '0',
      RETRIEVAL_PORT: '0',
      LOG_LEVEL: 'info',
      ...env,
    },
    readyWhen: READY,
    // Alone a second; a machine with much else to do has taken half a minute for three at once.
    timeoutMs: 120_000,
  });
  return { ...running, url: running.ready?.[1] ?? '' };
}

/** Starts one of each: retrieval first, because the gateway has to know its address. */
export async function startServices(
  env: Readonly<Record<string, string>>,
): Promise<Readonly<Record<ServiceName, ServiceProcess>>> {
  const retrieval = await startService('retrieval', env);
  const [gateway, extractor] = await Promise.all([
    startService('gateway', { ...env, RETRIEVAL_URL: retrieval.url }),
    startService('extractor', env),
  ]);
  return { gateway, extractor, retrieval };
}

/** Starts a service that is expected to end by itself, and returns its exit code and what it wrote. */
export async function runToEnd(
  service: ServiceName | 'standalone',
  env: Readonly<Record<string, string>>,
): Promise<Readonly<{ code: number | null; output: string }>> {
  const running = await startProcess({ entry: entryOf(service), env: { LOG_LEVEL: 'error', ...env } });
  const { code } = await running.exit;
  return { code, output: running.output() };
}
