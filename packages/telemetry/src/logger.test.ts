import { describe, expect, test } from '@jest/globals';
import { AppError } from '@factmill/errors';
import { Writable } from 'node:stream';
import { createLogger } from './logger.ts';

function setUp(level = 'trace') {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString('utf8'));
      done();
    },
  });
  const logger = createLogger({ service: 'test', level, destination });
  return { logger, lines, last: () => JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown> };
}

const SAID = 'I moved to Utrecht';
/** What a driver throws: the text in the message, in a second line that looks like a frame, and in own fields. */
function foreignError(): Error {
  return Object.assign(
    new Error(`duplicate key (content)=(${SAID})\n    at home: ${SAID}`, { cause: new Error(SAID) }),
    {
      code: '23505',
      detail: SAID,
      where: SAID,
    },
  );
}

test.each([true, false])('the level holds, exported: %s', (exported) => {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString('utf8'));
      done();
    },
  });
  const written = (level: string) => {
    lines.length = 0;
    const logger = createLogger({ service: 'test', level, destination, exported });
    for (const say of ['trace', 'debug', 'info', 'warn'] as const) logger[say]({}, say);
    return lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
  };
  expect(written('trace')).toEqual(['trace', 'debug', 'info', 'warn']);
  expect(written('debug')).toEqual(['debug', 'info', 'warn']);
  expect(written('warn')).toEqual(['warn']);
  expect(written('silent')).toEqual([]);
});

describe('what reaches the log of an error', () => {
  test('its name, code, frames and cause, and not its text', () => {
    const { logger, lines, last } = setUp();
    logger.error({ err: foreignError() }, 'failed');
    expect(last()).toMatchObject({
      msg: 'failed',
      err: {
        name: 'Error',
        code: '23505',
        stack: expect.stringContaining('logger.test.ts'),
        cause: { name: 'Error' },
      },
    });
    expect(lines.join('')).not.toContain('Utrecht');
  });

  test.each<[string, (log: ReturnType<typeof createLogger>) => void]>([
    ['without a message', (log) => log.error({ err: foreignError() })],
    ['as the only argument', (log) => log.error(foreignError())],
    ['as first argument', (log) => log.error(foreignError(), 'failed')],
    ['under another name', (log) => log.error({ error: foreignError(), reason: foreignError() }, 'failed')],
    ['of a child', (log) => log.child({ part: 'x' }).warn({ err: foreignError() })],
    ['thrown as a string', (log) => log.error({ err: SAID }, 'failed')],
  ])('nor %s', (_how, write) => {
    const { logger, lines } = setUp();
    write(logger);
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain('Utrecht');
  });

  test('an AppError keeps its message: it is written to be shown', () => {
    const { logger, last } = setUp();
    logger.warn({ err: new AppError('overloaded', 'Try later.', { cause: foreignError() }) }, 'x');
    expect(last()).toMatchObject({ err: { name: 'AppError', code: 'overloaded', message: 'Try later.' } });
    expect(JSON.stringify(last())).not.toContain('Utrecht');
  });
});

test('fields that hold text or secrets are cut out, at the top and one level down', () => {
  const { logger, lines, last } = setUp();
  const fields = { content: SAID, query: SAID, apiKey: SAID, connectionString: SAID };
  logger.info({ ...fields, job: fields, extraction_id: 'kept' }, 'event');
  expect(lines.join('')).not.toContain('Utrecht');
  expect(last()).toMatchObject({
    service: 'test',
    content: '[redacted]',
    extraction_id: 'kept',
    msg: 'event',
  });
});

test('the level is kept', () => {
  const { logger, lines } = setUp('warn');
  logger.info('quiet');
  logger.warn('heard');
  expect(lines).toHaveLength(1);
});
