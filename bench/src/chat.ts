import { Agent, request } from 'node:http';
import { type Benchmark, inMs, type Row } from './benchmark.ts';
import { createStage } from './stage.ts';
import { median, percentile } from './statistics.ts';

const AIM_WHOLE_MS = 3;
const AIM_FIRST_BYTE_MS = 5;
const WARM_UP = 50;

/** The overhead of the chat proxy: a chat without memory, against the same upstream called directly, in turns. */
export const chat: Benchmark = async ({ quick, profileDirectory }) => {
  const stage = await createStage(profileDirectory);
  try {
    const upstream = await stage.startProgram('chat-upstream', { hasHttp: true });
    const gateway = await stage.start('gateway', { CHAT_BASE_URL: `${upstream.url}/v1` });
    const headers = await stage.createClientHeaders(gateway);
    const rows: Row[] = [];
    for (const { stream, measure, aim } of [
      { stream: false, measure: 'whole answer', aim: AIM_WHOLE_MS },
      { stream: true, measure: 'first streamed byte', aim: AIM_FIRST_BYTE_MS },
    ]) {
      const direct: number[] = [];
      const proxied: number[] = [];
      const rounds = quick ? 100 : 1_000;
      for (let round = 0; round < WARM_UP + rounds; round += 1) {
        const directMs = await timeChat(upstream.url, headers, stream);
        const proxiedMs = await timeChat(gateway.url, headers, stream);
        if (round < WARM_UP) continue;
        direct.push(directMs);
        proxied.push(proxiedMs);
      }
      const added = proxied.map((ms, index) => ms - (direct[index] ?? Number.NaN));
      rows.push({
        benchmark: 'chat',
        measure: `${measure} through the proxy, p50; added p50 ${inMs(median(added))}, p95 ${inMs(percentile(added, 95))}`,
        ours: inMs(median(proxied)),
        baseline: inMs(median(direct)),
        ratio: median(proxied) / median(direct),
        aim: { text: `≤ ${aim} ms added`, reached: median(added) <= aim },
      });
    }
    return rows;
  } finally {
    await stage.close();
  }
};

const agent = new Agent({ keepAlive: true });
const BODY = {
  model: 'm',
  temperature: 0.5,
  messages: [
    { role: 'system', content: 'You are helpful. '.repeat(40) },
    { role: 'user', content: 'What did we decide about the garden? '.repeat(5) },
  ],
};

/** Milliseconds until the first byte of the body (streamed) or its end. */
function timeChat(url: string, headers: Readonly<Record<string, string>>, stream: boolean): Promise<number> {
  const body = JSON.stringify({ ...BODY, stream });
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const outgoing = request(
      `${url}/v1/chat/completions`,
      { agent, method: 'POST', headers: { ...headers, 'content-length': Buffer.byteLength(body) } },
      (response) => {
        let firstAt = 0;
        response.on('data', () => (firstAt ||= performance.now()));
        response.once('error', reject).once('end', () => {
          if (response.statusCode === 200) resolve((stream ? firstAt : performance.now()) - startedAt);
          else reject(new Error(`${url} answered ${response.statusCode}`));
        });
      },
    );
    outgoing.once('error', reject).end(body);
  });
}
