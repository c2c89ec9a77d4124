import { expect, test } from '@jest/globals';
import { assertModelFile, parseModelSource } from './model-source.ts';

test.each([
  ['BAAI/bge-small-en-v1.5', 'BAAI', 'bge-small-en-v1.5', 'main'],
  ['acme/encoder@0a1b2c3d', 'acme', 'encoder', '0a1b2c3d'],
  ['bge-small-en-v1.5', 'BAAI', 'bge-small-en-v1.5', 'main'],
  ['all-MiniLM-L6-v2@v2', 'sentence-transformers', 'all-MiniLM-L6-v2', 'v2'],
  ['multilingual-e5-small', 'intfloat', 'multilingual-e5-small', 'main'],
  ['ms-marco-MiniLM-L-6-v2', 'Xenova', 'ms-marco-MiniLM-L-6-v2', 'main'],
])('%s is a model of the hub', (text, owner, name, revision) => {
  expect(parseModelSource(text, 'EMBEDDING')).toEqual({ kind: 'hub', owner, name, revision });
});

test.each([
  ['/models/house-encoder', 'house-encoder'],
  ['./models/e5/', 'e5'],
])('%s is a folder', (path, name) => {
  expect(parseModelSource(path, 'RERANK')).toEqual({ kind: 'folder', path, name });
});

test.each([
  '../models/e5',
  '/models/../etc',
  './..',
  '/',
  'a/b/c',
  'a/..',
  '..',
  'owner/..name',
  'owner/name@../x',
  'owner/name@a/b',
  'owner/na me',
  'https://hub.test/owner/name',
  'C:\\models',
  'unheard-of',
  '',
])('%j is refused, with the setting and without the value', (text) => {
  expect(() => parseModelSource(text, 'RERANK')).toThrow(
    expect.objectContaining({
      code: 'config_invalid',
      message: expect.stringMatching(/^RERANK_MODEL /),
    }),
  );
});

test.each([
  '../model.onnx',
  '/model.onnx',
  'onnx/../../model.onnx',
  'model.bin',
  'onnx//model.onnx',
  '.onnx',
])('the file %s is refused', (file) => {
  expect(() => assertModelFile(file, 'EMBEDDING')).toThrow(
    expect.objectContaining({ code: 'config_invalid' }),
  );
});

test('a file below the folder is taken', () => {
  expect(() => assertModelFile('onnx/model_quantized.onnx', 'EMBEDDING')).not.toThrow();
});
