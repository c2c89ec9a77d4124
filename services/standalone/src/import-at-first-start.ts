import type { Config } from '@factmill/config';
import { UNKNOWN_USER } from '@factmill/contracts';
import { type Database, DEFAULT_TENANT_ID, isStoreEmpty } from '@factmill/database';
import { AppError } from '@factmill/errors';
import { OPENCLAW, readOpenClaw } from '@factmill/exchange';
import { importMemories } from '@factmill/memories';
import { v7 as uuidv7 } from 'uuid';

/**
 * Imports the folder of IMPORT_OPENCLAW_DIR while nothing is stored yet (C19), in one transaction: a start that is
 * broken off imports all of it the next time. Vectors follow in the background.
 *
 * @throws AppError `config_invalid` when nobody is configured whose memories these are; `invalid_request` when the folder
 *   cannot be read
 */
export async function importAtFirstStart(
  database: Database,
  { importOpenClawDir: directory, auth, embedding }: Config,
  say: (line: string) => void,
): Promise<void> {
  if (directory === null) return;
  const userId = auth.defaultUserId;
  if (userId === UNKNOWN_USER) {
    throw new AppError(
      'config_invalid',
      'IMPORT_OPENCLAW_DIR needs DEFAULT_USER_ID, which says whose memories these become.',
    );
  }
  if (!(await isStoreEmpty(database))) return;
  const { results } = await importMemories(database, {
    tenantId: DEFAULT_TENANT_ID,
    userId,
    source: OPENCLAW,
    items: await readOpenClaw(directory),
    dryRun: false,
    actor: { actor: 'import', extractionId: null },
    wantsEmbedding: embedding.provider !== 'none',
    newId: () => uuidv7(),
    now: new Date(),
  });
  const stored = results.filter(({ status }) => status === 'created' || status === 'updated').length;
  const refused = results.filter(({ status }) => status === 'refused').length;
  say(
    `Imported ${stored} memories of ${userId} from IMPORT_OPENCLAW_DIR${refused === 0 ? '' : `; ${refused} were refused, as factmill import openclaw --dry-run shows`}.`,
  );
}
