import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { inProcess } from './in-process.ts';
import { createModelWorker } from './model-worker.ts';

// Answers with its pid; aborts, as native code does, when it is told to; never answers `wait`. A connection to the port
// in its argument shows how long it lives.
const PROGRAM = `
  import { connect } from 'node:net';
  const { port } = JSON.parse(process.argv[2]);
  if (port !== undefined) connect(port, '127.0.0.1').unref();
  process.on('message', ({ id, texts }) => {
    if (texts[0] === 'abort') process.abort();
    if (texts[0] !== 'wait') process.send({ id, packed: Float32Array.of(process.pid) });
  });
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));`;

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'factmill-worker-'));
  file = join(folder, 'program.mjs');
  await writeFile(file, PROGRAM);
});
afterAll(() => rm(folder, { recursive: true }));

const open = () =>
  createModelWorker({
    start: inProcess({ file, argument: {}, maxHeapMb: 64 }),
    warmUp: ['load'],
    name: 'The model',
    code: 'model_transient',
  });

test('a model whose process aborts rejects what waits, and the next call starts another', async () => {
  const worker = open();
  const [before] = await worker.run(['live']);
  const results = await Promise.allSettled([worker.run(['abort']), worker.run(['live'])]);
  const stopped = { status: 'rejected', reason: { code: 'model_transient' } };
  expect(results).toMatchObject([stopped, stopped]);
  const [after] = await worker.run(['live']);
  expect(after).not.toBe(before);
  await worker.close();
});

test('closing ends the process in the middle of a batch', async () => {
  const worker = open();
  const [pid = 0] = await worker.run(['live']);
  const waiting = worker.run(['wait']);
  await Promise.all([expect(waiting).rejects.toMatchObject({ code: 'shutting_down' }), worker.close()]);
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

test('the process of a model keeps its parent alive only while a batch runs, and never outlives it', async () => {
  const lives = createServer();
  lives.listen(0, '127.0.0.1');
  await once(lives, 'listening');
  const { port } = lives.address() as AddressInfo;
  const module = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
  const parent = join(folder, 'parent.mjs');
  await writeFile(
    parent,
    `const { createModelWorker } = await import(${module('model-worker.ts')});
     const { inProcess } = await import(${module('in-process.ts')});
     const start = inProcess({ file: ${JSON.stringify(file)}, argument: { port: ${port} }, maxHeapMb: 64 });
     const worker = createModelWorker({ start, warmUp: [], name: 'model', code: 'model_transient' });
     await worker.run(['live']);
     if (process.argv[2] === 'wait') await worker.run(['wait']);`,
  );
  const startParent = async (argument: string) => {
    const connected = once(lives, 'connection') as Promise<[Socket]>;
    const args = ['--conditions=factmill-source', parent, argument];
    const started = spawn(process.execPath, args, { stdio: 'inherit' });
    const [life] = await connected;
    return { started, hasEnded: once(started, 'exit'), childHasEnded: once(life.resume(), 'close') };
  };

  const idle = await startParent('idle');
  expect(await idle.hasEnded).toEqual([0, null]);
  await idle.childHasEnded;

  const busy = await startParent('wait');
  busy.started.kill('SIGKILL');
  await Promise.all([busy.hasEnded, busy.childHasEnded]);
  lives.close();
});
