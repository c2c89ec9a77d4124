#!/usr/bin/env node
import { isAppError } from '@factmill/errors';
import { createProgram } from './program.ts';

try {
  await createProgram().parseAsync();
} catch (error) {
  process.stderr.write(
    isAppError(error)
      ? `factmill: ${error.message}\n`
      : `factmill: ${error instanceof Error ? error.name : 'error'}\n`,
  );
  process.exitCode = 1;
}
