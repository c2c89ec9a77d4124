import { waitFor } from '@factmill/testkit';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Benchmark, Row } from './benchmark.ts';
import { callJson } from './call-json.ts';
import { embeddedEnv } from './embedded-env.ts';
import { createStage } from './stage.ts';
import { ROOT, type Service } from './start-service.ts';

const LOCAL = { EMBEDDING_PROVIDER: 'local' };

/** Resident memory of idle services, run from their build as containers do. */
export const memory: Benchmark = async ({ quick, profileDirectory }) => {
  await promisify(execFile)(process.execPath, ['node_modules/typescript/bin/tsc', '-b'], { cwd: ROOT });
  const stage = await createStage(profileDirectory);
  const idle = () => pause(quick ? 1_000 : 10_000);
  try {
    const retrieval = await stage.start('retrieval', LOCAL, 'dist');
    const gateway = await stage.start('gateway', { RETRIEVAL_URL: retrieval.url }, 'dist');
    const bare = await stage.start('extractor', { EMBEDDING_PROVIDER: 'none' }, 'dist');
    const standalone = await stage.start('standalone', embeddedEnv(stage), 'dist');
    await idle();
    const rows = [
      await row('gateway', gateway, 150),
      await row('retrieval', retrieval, 150),
      await row('extractor without a model', bare, 200),
      await row('standalone on embedded storage', standalone, 500),
    ];
    await bare.stop();

    const extractor = await stage.start('extractor', LOCAL, 'dist');
    await extractOnce(gateway, await stage.createClientHeaders(gateway));
    await extractOnce(standalone, {});
    await idle();
    return [
      ...rows,
      await row('extractor after an extraction with the local model', extractor, 300),
      await row('retrieval after a search with the local model', retrieval),
      await row('standalone after an extraction and a search', standalone),
    ];
  } finally {
    await stage.close();
  }
};

async function row(measure: string, service: Service, aimMb?: number): Promise<Row> {
  const status = await readFile(`/proc/${service.pid}/status`, 'utf8');
  const residentMb = Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024;
  return {
    benchmark: 'memory',
    measure,
    ours: `${Math.round(residentMb)} MB`,
    ...(aimMb === undefined ? {} : { aim: { text: `≤ ${aimMb} MB`, reached: residentMb <= aimMb } }),
  };
}

/** One extraction by rules and local embedding, then a search for its memory. */
async function extractOnce({ url }: Service, headers: Record<string, string>): Promise<void> {
  const user_id = 'someone';
  const messages = [{ role: 'user', content: 'I live in Lisbon and I love chess.' }];
  await callJson(`${url}/v1/extractions`, headers, { user_id, messages });
  const query = { user_id, query: 'Where do I live?' };
  await waitFor(
    async () => {
      const found = await callJson<{ results: unknown[] }>(`${url}/v1/memories/search`, headers, query);
      return found.results.length > 0;
    },
    { timeoutMs: 30_000, intervalMs: 200, describe: 'the memory of an extraction' },
  );
}
