import type { Config } from '@factmill/config';
import { readServerState, type ServerState } from '@factmill/database';
import { externalStorage, openDatabase } from '@factmill/runtime';
import { createLogger } from '@factmill/telemetry';
import { setTimeout as delay } from 'node:timers/promises';
import { failed, type Finding, ok, warning } from './finding.ts';

/** How long the replica may take for what the primary has written, before it counts as behind. */
const PATIENCE_MS = 2_000;
const ASK_EVERY_MS = 50;

/** Looks at the replica of DATABASE_READ_URL, and whether it follows the Postgres of DATABASE_URL. */
export async function examineReplica(config: Config, connectionString: string): Promise<readonly Finding[]> {
  const logger = createLogger({ service: 'cli', level: 'fatal', destination: process.stderr });
  const primary = openDatabase(config, externalStorage(config), 'cli', logger);
  const replica = openDatabase(config, { connectionString, embedded: false }, 'cli', logger);
  try {
    const of = await readServerState(primary.as('login'));
    const until = Date.now() + PATIENCE_MS;
    let state = await readServerState(replica.as('login'));
    while (state.isReplica && !hasAll(of, state) && Date.now() < until) {
      await delay(ASK_EVERY_MS);
      state = await readServerState(replica.as('login'));
    }
    return [replicaFinding(of, state)];
  } finally {
    await Promise.all([primary.close(), replica.close()]);
  }
}

type Position = Pick<ServerState, 'system' | 'position'>;

/** What the states of both servers say about the replica. */
export function replicaFinding(
  primary: Position,
  replica: Position & Pick<ServerState, 'isReplica' | 'behindSeconds'>,
): Finding {
  if (!replica.isReplica || replica.system !== primary.system) {
    return failed('replica', {
      found: replica.isReplica ? 'it follows another server' : 'the server is no replica',
      advice: 'Name a streaming replica of DATABASE_URL in DATABASE_READ_URL, or leave it out.',
    });
  }
  if (hasAll(primary, replica)) return ok('replica', 'follows the primary');
  const last =
    replica.behindSeconds === null ? '' : `; its last commit is ${replica.behindSeconds.toFixed(1)} s old`;
  return warning('replica', {
    found: `it is more than ${PATIENCE_MS / 1_000} s behind the primary, so searches read from the primary${last}`,
    advice:
      'Look at the network between both, and at recovery_min_apply_delay of the replica. Searches are right meanwhile.',
  });
}

function hasAll(primary: Position, replica: Position): boolean {
  return BigInt(replica.position) >= BigInt(primary.position);
}
