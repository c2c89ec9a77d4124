import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createEmbedder } from './embedder.ts';
import { createLocalThread } from './local-embeddings.ts';

describe('the local embedder', () => {
  const embedder = createEmbedder({ provider: 'local' });
  afterAll(() => embedder.close());

  test('gives unit vectors of 512 dimensions in the order of the texts', async () => {
    const texts = Array.from({ length: 20 }, (_, index) => `The user has ${index} books.`);
    const vectors = await embedder.embed(texts);
    expect(vectors).toHaveLength(20);
    for (const vector of vectors) {
      expect(vector).toHaveLength(512);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    }
    const other = createEmbedder({ provider: 'local' });
    expect(await other.embed([texts[13] ?? ''])).toEqual([vectors[13]]);
    await other.close();
  });

  test('knows its profile before it has loaded anything', () => {
    expect(embedder.profile).toMatchObject({ id: 'use-lite-512', dimensions: 512 });
  });

  test.each(['日本語のテキスト', '🙂', 'a'.repeat(10_000), 'tab\tand\nline', '\u0000'])(
    'takes %j',
    async (text) => {
      const [vector] = await embedder.embed([text]);
      expect(Math.hypot(...(vector ?? []))).toBeCloseTo(1, 5);
    },
  );

  test('a blank text is refused, an empty list is nothing', async () => {
    await expect(embedder.embed(['a', ' '])).rejects.toMatchObject({ code: 'model_input' });
    expect(await embedder.embed([])).toEqual([]);
  });

  test('concurrent callers get their own vectors, an aborted one its reason', async () => {
    const controller = new AbortController();
    const long = embedder.embed(
      Array.from({ length: 40 }, (_, index) => `number ${index} of many`),
      { signal: controller.signal },
    );
    const [first] = await embedder.embed(['The user lives in Utrecht.']);
    controller.abort(new Error('stopping'));
    await expect(long).rejects.toThrow('stopping');
    expect(await embedder.embed(['The user lives in Utrecht.'])).toEqual([first]);
  });

  test('closes for good', async () => {
    const closing = createEmbedder({ provider: 'local' });
    const running = closing.embed(['a']);
    await Promise.all([expect(running).rejects.toMatchObject({ code: 'shutting_down' }), closing.close()]);
    await expect(closing.embed(['b'])).rejects.toMatchObject({ code: 'shutting_down' });
  });
});

describe('the worker thread', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'factmill-models-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('that dies rejects what waits, and the next call starts another', async () => {
    // Answers with the thread's id, except to `die`.
    const file = join(folder, 'mortal.mjs');
    await writeFile(
      file,
      `import { parentPort, threadId } from 'node:worker_threads';
       parentPort.on('message', ({ id, texts }) => {
         if (texts[0] === 'die') throw new Error('out of memory');
         parentPort.postMessage({ id, packed: Float32Array.of(threadId) });
       });`,
    );
    const thread = createLocalThread(file);
    const [before] = await thread.run(['live']);
    const results = await Promise.allSettled([
      thread.run(['die']),
      thread.run(['live']),
      thread.run(['live']),
    ]);
    const unavailable = { status: 'rejected', reason: { code: 'embedding_unavailable' } };
    expect(results).toMatchObject([unavailable, unavailable, unavailable]);
    const [after] = await thread.run(['live']);
    expect(after).not.toBe(before);
    await thread.close();
  });

  test('works on a single text before batches that wait, but not for ever', async () => {
    const file = join(folder, 'patient.mjs');
    await writeFile(
      file,
      `import { parentPort } from 'node:worker_threads';
       parentPort.on('message', ({ id }) => parentPort.postMessage({ id, packed: Float32Array.of(id) }));`,
    );
    const thread = createLocalThread(file);
    const order: string[] = [];
    const run = async (name: string, texts: string[]) => {
      await thread.run(texts);
      order.push(name);
    };
    await Promise.all([
      run('first', ['a', 'b']),
      run('second', ['a', 'b']),
      run('third', ['a', 'b']),
      ...Array.from({ length: 9 }, (_, index) => run(`query ${index}`, ['q'])),
    ]);
    const queries = Array.from({ length: 8 }, (_, index) => `query ${index}`);
    expect(order).toEqual(['first', ...queries, 'second', 'third', 'query 8']);
    await thread.close();
  });

  test('that cannot start rejects every call', async () => {
    const thread = createLocalThread(join(folder, 'missing.mjs'));
    await expect(thread.run(['a'])).rejects.toMatchObject({ code: 'embedding_unavailable' });
    await expect(thread.run(['a'])).rejects.toMatchObject({ code: 'embedding_unavailable' });
    await thread.close();
  });

  test('keeps no process alive, prints nothing and writes no file', async () => {
    const index = new URL('../index.ts', import.meta.url).href;
    const file = join(folder, 'once.mjs');
    await writeFile(
      file,
      `const { createEmbedder } = await import(${JSON.stringify(index)});
       const [vector] = await createEmbedder({ provider: 'local' }).embed(['hello']);
       process.stdout.write(String(vector.length));`,
    );
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [
        '--permission',
        '--allow-fs-read=*',
        '--allow-worker',
        '--conditions=factmill-source',
        '--disable-warning=ExperimentalWarning',
        '--disable-warning=SecurityWarning',
        file,
      ],
      { cwd: fileURLToPath(new URL('../..', import.meta.url)), env: {}, timeout: 20_000 },
    );
    expect({ stdout, stderr }).toEqual({ stdout: '512', stderr: '' });
  });
});
