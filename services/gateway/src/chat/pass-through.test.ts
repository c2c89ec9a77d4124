import { describe, expect, test } from '@jest/globals';
import { loadConfig } from '@factmill/config';
import { isPassed } from './pass-through.ts';

const ours = true;
const callers = false;

function passes(setting: string | null, hasStoredKey: boolean, line: string): boolean {
  const [method = '', path = ''] = line.split(' ');
  const config = loadConfig(setting === null ? {} : { CHAT_PASS_THROUGH: setting });
  const segments = path.split('/').slice(2);
  return isPassed(config.gateway.chat.passThrough, hasStoredKey, method, segments);
}

describe('what is passed on', () => {
  test.each([
    // CHAT_PASS_THROUGH, whose key, request, passed
    [null, callers, 'DELETE /v1/files/x', true],
    [null, callers, 'TRACE /v1/models', false],
    [null, callers, 'OPTIONS /v1/models', false],
    [null, ours, 'GET /v1/models', true],
    [null, ours, 'HEAD /v1/models', true],
    [null, ours, 'GET /v1/models/org/name', true],
    [null, ours, 'DELETE /v1/models/x', false],
    [null, ours, 'GET /v1/files', false],
    [null, ours, 'POST /v1/embeddings', false],
    ['all', ours, 'POST /v1/fine_tuning/jobs', true],
    ['none', callers, 'GET /v1/models', false],
    ['POST /v1/embeddings', ours, 'POST /v1/embeddings', true],
    ['POST /v1/embeddings', ours, 'GET /v1/models', false],
    ['POST /v1/embeddings', callers, 'POST /v1/responses', false],
    ['POST /v1/embeddings', ours, 'POST /v1/embeddings/x', false],
    ['POST /v1/embeddings', ours, 'GET /v1/embeddings', false],
    ['POST /v1/audio/*, * /v1/files/*/content', ours, 'POST /v1/audio/speech', true],
    ['POST /v1/audio/*, * /v1/files/*/content', ours, 'POST /v1/audio', false],
    ['POST /v1/audio/*, * /v1/files/*/content', ours, 'PUT /v1/files/f/content', true],
    ['POST /v1/audio/*, * /v1/files/*/content', ours, 'PUT /v1/files/f/g/content', false],
    ['GET /v1/*', ours, 'GET /v1/files/f/content', true],
  ])('%j with %j: %s → %j', (setting, hasStoredKey, line, expected) => {
    expect(passes(setting, hasStoredKey, line)).toBe(expected);
  });

  test.each([
    'embeddings',
    'POST embeddings',
    'POST /embeddings',
    'FETCH /v1/x',
    'POST /v1/',
    'POST /v1/x,',
    'ALL',
  ])('%j is no rule', (setting) => {
    expect(() => loadConfig({ CHAT_PASS_THROUGH: setting })).toThrow(
      /CHAT_PASS_THROUGH.*POST \/v1\/embeddings/s,
    );
  });
});
