import { createPool } from '@factmill/database';
import { v7 as newId } from 'uuid';
import { createFollower } from './follow.ts';
import { openFolder } from './folder/open-folder.ts';
import { withSteps } from './operations.fixture.ts';
import { openSession } from './session.ts';

// Follows a vault until it is killed: by itself, with kill -9, at step KILL_AT.
const { DATABASE_URL = '', VAULT_DIR = '', TENANT_ID = '', KILL_AT = '0' } = process.env;
const quiet = { info: () => undefined, warn: () => undefined };
const database = createPool({
  connectionString: DATABASE_URL,
  max: 3,
  applicationName: 'factmill-vault-test',
  logger: quiet,
});
let steps = 0;
const deps = {
  folder: await openFolder(VAULT_DIR, () => newId()),
  tenantId: TENANT_ID,
  maxFiles: 1_000,
  database,
  wantsEmbedding: false,
  embedLater: async () => undefined,
  newId: () => newId(),
  now: () => new Date(),
  clock: () => performance.now(),
  logger: quiet,
};
const session = await openSession(
  withSteps(deps, () => {
    steps += 1;
    if (steps === Number(KILL_AT)) process.kill(process.pid, 'SIGKILL');
  }),
);
if (session === null) throw new Error('another process holds the vault');
const follower = createFollower(session, 1_000);
while (!(await follower.round(new AbortController().signal)))
  await new Promise((resolve) => setTimeout(resolve, 50));
await session.close();
await database.close();
process.stdout.write(`done after ${steps} steps\n`);
