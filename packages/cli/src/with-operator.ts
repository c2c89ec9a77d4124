import { type Client, createClient } from '@factmill/client';
import { loadConfig, loadProcessEnvironment } from '@factmill/config';
import type { Command } from 'commander';
import { createApiOperator } from './api-operator.ts';
import { createDatabaseOperator } from './database-operator.ts';
import { findSomeTarget, type Target } from './find-target.ts';
import type { Operator } from './operator.ts';
import { withDatabase } from './with-database.ts';

/** Runs an operator command by the API or on the database, as `findTarget` decides. */
export async function withOperator<T>(
  command: Command,
  work: (operator: Operator) => Promise<T>,
): Promise<T> {
  const target = targetOf(command);
  if (target.kind === 'api') return work(createApiOperator(clientOf(target)));
  const config = loadConfig(loadProcessEnvironment());
  return withDatabase(({ database, logger }) => work(createDatabaseOperator({ database, config, logger })));
}

/** What a command works on. */
export function targetOf(command: Command): Target {
  return findSomeTarget(command.optsWithGlobals<{ url?: string }>().url, loadProcessEnvironment());
}

/** A client of the gateway that a command works by: never the database, whatever DATABASE_URL says. */
export function gatewayOf(command: Command): Client {
  const { DATABASE_URL: _, ...environment } = loadProcessEnvironment();
  const target = findSomeTarget(command.optsWithGlobals<{ url?: string }>().url, environment);
  if (target.kind !== 'api') throw new Error('without DATABASE_URL a target is an API');
  return clientOf(target);
}

export function clientOf({ url, apiKey }: Extract<Target, { kind: 'api' }>): Client {
  return createClient({ baseUrl: url, apiKey });
}
