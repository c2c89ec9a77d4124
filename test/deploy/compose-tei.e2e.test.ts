import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig } from '@factmill/config';
import { beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { type ComposeFile, environmentOf, loadComposeFile, ROOT } from './compose-file.ts';

let compose: ComposeFile;
let example: ComposeFile;
beforeAll(async () => {
  compose = await loadComposeFile();
  const text = await readFile(join(ROOT, 'infra/compose.tei.yml'), 'utf8');
  example = parse(text, { merge: true }) as ComposeFile;
});

test('every service gets a configuration that it accepts, and that names a server of the example', () => {
  for (const name of ['gateway', 'retrieval', 'extractor']) {
    const [base, more] = [compose.services[name], example.services[name]];
    if (base === undefined || more === undefined) throw new Error(`there is no service ${name}`);
    const { embedding, retrieval } = loadConfig({ ...environmentOf(base), ...environmentOf(more) });
    expect(embedding).toMatchObject({ provider: 'openai', model: 'BAAI/bge-small-en-v1.5' });
    const addresses = [
      embedding.provider === 'openai' ? embedding.baseUrl : '',
      ...('baseUrl' in retrieval.rerank ? [retrieval.rerank.baseUrl] : []),
    ];
    for (const address of addresses)
      expect(Object.keys(example.services)).toContain(new URL(address).hostname);
    expect('baseUrl' in retrieval.rerank).toBe(name === 'retrieval');
  }
});

test('the servers run the models that the services ask for, and keep them in a volume', () => {
  const commandOf = (name: string) => example.services[name]?.command ?? [];
  expect(commandOf('tei-embedding')).toContain('BAAI/bge-small-en-v1.5');
  for (const name of ['tei-embedding', 'tei-reranker']) {
    expect(example.services[name]?.volumes).toEqual(['tei-models:/data']);
  }
  expect(Object.keys(example.volumes)).toEqual(['tei-models']);
});
