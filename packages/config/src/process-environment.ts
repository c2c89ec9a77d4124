import { existsSync } from 'node:fs';
import type { RawEnvironment } from './parse-environment.ts';

/** The process's environment, after `.env` of the working directory has filled in what is not set. */
export function loadProcessEnvironment(): RawEnvironment {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return process.env;
}
