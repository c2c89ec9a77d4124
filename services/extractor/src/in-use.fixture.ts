import type { Embedder } from '@factmill/models';
import type { ModelsInUse } from '@factmill/vectors';

/** One embedding model, whatever the database says. */
export function inUse(embedder: Embedder): Pick<ModelsInUse, 'inUse'> {
  return { inUse: async () => ({ embedder, isComplete: true, isLocal: false, endpoint: undefined }) };
}
