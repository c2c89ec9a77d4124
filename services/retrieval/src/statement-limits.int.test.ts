import { expect, test } from '@jest/globals';
import { loadConfig } from '@factmill/config';
import { createPool, migrate } from '@factmill/database';
import { createEmbedder } from '@factmill/models';
import { createDisposables, externalStorage, openAuthenticator, openDatabase } from '@factmill/runtime';
import { createLogger, startTelemetry } from '@factmill/telemetry';
import { createTestDatabase, waitFor } from '@factmill/testkit';
import { createRetrieval } from './create-retrieval.ts';

const logger = createLogger({ service: 'retrieval', level: 'silent' });

test('a search whose statements take too long is ended on the server, and answered with 503', async () => {
  const disposables = createDisposables();
  try {
    const { connectionString, drop } = await createTestDatabase({
      migrate: (url, how) => migrate(url, { logger, ...how }),
    });
    disposables.add({ close: drop });
    const config = loadConfig({
      HOST: '127.0.0.1',
      RETRIEVAL_PORT: '0',
      AUTH: 'none',
      DATABASE_URL: connectionString,
      EMBEDDING_PROVIDER: 'none',
      STATEMENT_TIMEOUT_SEARCH_MS: '100',
    });
    const database = disposables.add(openDatabase(config, externalStorage(config), 'retrieval', logger));
    const observer = disposables.add(
      createPool({ connectionString, max: 2, applicationName: 'factmill-test', logger }),
    );
    const embedder = disposables.add(createEmbedder(config.embedding));
    const telemetry = disposables.add(
      await startTelemetry({ service: 'retrieval', version: '0', otlpEndpoint: null }),
    );
    const authenticator = openAuthenticator(config, database);
    const { url } = disposables.add(
      await createRetrieval({ config, logger, telemetry, database, embedder, authenticator }),
    );
    const search = () =>
      fetch(`${url}/v1/memories/search`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ user_id: 'ines', query: 'figs' }),
      });

    await observer.transaction(async (tx) => {
      await tx.query('lock table memories');
      const answer = await search();
      expect(answer.status).toBe(503);
      expect(await answer.json()).toMatchObject({
        code: 'database_unavailable',
        detail: expect.stringContaining('took too long'),
      });
      const running = () =>
        observer.one<{ n: number }>(
          `select count(*) as n from pg_stat_activity
           where datname = current_database() and application_name = 'factmill-retrieval' and state = 'active'`,
        );
      await waitFor(async () => (await running()).n === 0, { describe: 'what was ended to be gone' });
    });
    expect((await search()).status).toBe(200);
  } finally {
    await disposables.close();
  }
});
