// A worker in a process of its own, for tests that kill it. QUEUE_CONFIG is the configuration as JSON. It writes
// a line for everything that happens; a job whose id begins with "held" runs until its signal is aborted.
import { createWorker, type JobHandler, type QueueConfig } from './index.ts';

const config = JSON.parse(process.env['QUEUE_CONFIG'] ?? '') as QueueConfig;

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const handler: JobHandler<'extraction'> = async (_job, { jobId, signal }) => {
  say(`took ${jobId}`);
  if (jobId.startsWith('held')) {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    say(`aborted ${jobId}`);
  }
  return { kind: 'done' };
};

const quiet = (): void => undefined;
const worker = await createWorker(config, {
  queue: 'extraction',
  concurrency: 2,
  handler,
  logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  clock: Date.now,
  random: Math.random,
});
process.once('SIGTERM', () => void stop());

async function stop(): Promise<void> {
  await worker.close({ graceMs: 200 });
  process.exit();
}

say('ready');
