import {
  countPendingChunks,
  countPendingEmbeddings,
  countStaleSummaries,
  type LedgerStatistics,
  listEmbeddingBuilds,
  listOpenBreakers,
  readLedgerStatistics,
  type Sql,
} from '@factmill/database';
import type { Disposables } from '@factmill/runtime';
import { createGauge } from '@factmill/telemetry';

/** What the database says at each scrape: the same in every extractor. */
export function addGauges(database: Sql, disposables: Disposables): void {
  const gauge = (name: string, description: string, value: (statistics: LedgerStatistics) => number) =>
    disposables.add(
      createGauge(name, description, async () => [{ value: value(await readLedgerStatistics(database)) }]),
    );
  gauge('factmill_extractions_pending', 'Extractions that wait', (statistics) => statistics.pending);
  gauge('factmill_extractions_active', 'Extractions in work', (statistics) => statistics.active);
  gauge(
    'factmill_extractions_deferred',
    'Extractions that wait because a budget is used up',
    (statistics) => statistics.deferred,
  );
  gauge(
    'factmill_oldest_pending_seconds',
    'Age of the oldest extraction that waits',
    (statistics) => statistics.oldestPendingSeconds,
  );
  disposables.add(
    createGauge(
      'factmill_reembed_vectors',
      'Vectors of a newly configured embedding model, by state; nothing when none is being built',
      async () =>
        (await listEmbeddingBuilds(database)).flatMap(({ done, total }) => [
          { value: done, attributes: { state: 'done' } },
          { value: Math.max(0, total - done), attributes: { state: 'missing' } },
        ]),
    ),
  );
  disposables.add(
    createGauge('factmill_provider_down', 'Providers that are down, by kind', async () => {
      const down = await listOpenBreakers(database);
      return ['llm', 'embedding'].map((kind) => ({
        value: down.filter((provider) => provider.startsWith(`${kind}:`)).length,
        attributes: { kind },
      }));
    }),
  );
  disposables.add(
    createGauge(
      'factmill_embeddings_pending',
      'Memories that wait for their vector, up to 10,000',
      async () => [{ value: await countPendingEmbeddings(database) }],
    ),
  );
  disposables.add(
    createGauge('factmill_summaries_stale', 'Summaries that wait for a refresh, up to 10,000', async () => [
      { value: await countStaleSummaries(database) },
    ]),
  );
  disposables.add(
    createGauge(
      'factmill_document_chunks_pending',
      'Parts of documents that wait for their vector and for a worker, up to 10,000',
      async () => [{ value: await countPendingChunks(database) }],
    ),
  );
}
