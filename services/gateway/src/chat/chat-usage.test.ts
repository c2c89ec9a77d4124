import { describe, expect, test } from '@jest/globals';
import { createUsageReader } from './chat-usage.ts';

function read(...chunks: string[]) {
  const reader = createUsageReader();
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  return reader.usage();
}

const USAGE = '{"prompt_tokens": 12, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 4}}';
const COUNTED = { inputTokens: 12, outputTokens: 3 };

describe('what a chat took', () => {
  test.each([
    [
      'a completion',
      [`{"choices":[{"message":{"content":"x"}}],"usage":${USAGE},"system_fingerprint":null}`],
    ],
    ['one that comes in pieces', ['{"choices":[],"usa', `ge" :\n`, USAGE.slice(0, 20), USAGE.slice(20), '}']],
    [
      'the last event of a stream',
      [`data: {"usage":null}\n\ndata: {"choices":[],"usage":${USAGE}}\n\n`, 'data: [DONE]\n\n'],
    ],
    ['a long answer', [`{"choices":"${'x'.repeat(20_000)}"`, `,"usage":${USAGE}}`]],
  ])('is read from %s', (_what, chunks) => {
    expect(read(...chunks)).toEqual(COUNTED);
  });

  test.each([
    '',
    '{"choices":[]}',
    '{"usage":null}',
    '{"usage":{"prompt_tokens":"many"}}',
    '"usage":{',
    '"usage"',
  ])('is not read from %s', (text) => {
    expect(read(text)).toBeNull();
  });
});
