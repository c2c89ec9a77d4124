import { join } from 'node:path';
import type { Stage } from './stage.ts';

/** The environment of `npm start` without external services. An empty variable counts as not set. */
export function embeddedEnv({ folder }: Stage): Record<string, string> {
  return {
    EMBEDDING_PROVIDER: 'local',
    DATABASE_URL: '',
    REDIS_URL: '',
    AUTH: 'none',
    DATA_DIR: join(folder, 'data'),
  };
}
