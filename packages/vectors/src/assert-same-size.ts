import { type EmbeddingEndpoint, listRegisteredSizes, type Sql } from '@factmill/database';
import { AppError } from '@factmill/errors';
import type { EmbeddingProfile } from '@factmill/models';

/**
 * Refuses a changed vector size when the endpoint chose it: stored vectors need the old one. A size that an
 * operator configured is a deliberate change.
 *
 * @param endpoint how the model is configured; undefined when it is not the configured one
 * @throws AppError `embedding_mismatch`
 */
export async function assertSameSize(
  database: Sql,
  { id, dimensions }: Pick<EmbeddingProfile, 'id' | 'dimensions'>,
  endpoint: EmbeddingEndpoint | undefined,
): Promise<void> {
  if (endpoint === undefined || endpoint.endpointDimensions !== null) return;
  if (id !== `${endpoint.endpointModel}@${dimensions}`) return;
  const known = await listRegisteredSizes(database, endpoint.endpointModel ?? '');
  if (known.length === 0 || known.includes(dimensions)) return;
  throw new AppError(
    'embedding_mismatch',
    `The embedding endpoint returns vectors of ${dimensions} dimensions, but those that are stored for its model have ${known.join(' or ')}: set EMBEDDING_MODEL back to what they were made with, or run \`factmill reembed\` after setting EMBEDDING_DIMENSIONS to the new size; until then memories get no vectors and are found by text.`,
  );
}
