#!/usr/bin/env node
import { FactmillError } from '@factmill/client';
import { isAppError } from '@factmill/errors';
import { createProgram } from './program.ts';

try {
  await createProgram().parseAsync();
} catch (error) {
  process.stderr.write(`factmill: ${sentenceOf(error)}\n`);
  process.exitCode = 1;
}

function sentenceOf(error: unknown): string {
  if (isAppError(error)) return error.message;
  if (!(error instanceof FactmillError)) return error instanceof Error ? error.name : 'error';
  if (error.kind === 'connection') {
    return 'Factmill does not answer. Is it running, and is its address right (--url, FACTMILL_URL, or the url of factmill config)?';
  }
  return error.code === 'unauthorized'
    ? `${error.detail} Commands take it from FACTMILL_API_KEY.`
    : error.detail;
}
