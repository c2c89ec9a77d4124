import {
  type BuiltVector,
  type MissingVector,
  refuseVector,
  type Sql,
  type VectorStage,
} from '@factmill/database';
import { isAppError } from '@factmill/errors';
import type { Embedder } from '@factmill/models';

export type Embedded = Readonly<{ vectors: BuiltVector[]; refused: number }>;

/** The text that the model gets: chunks often begin or end with white space, where their document was cut. */
function textToEmbed(stage: VectorStage, content: string): string {
  return stage === 'memories' ? content : content.replaceAll(/\s+/g, ' ').trim();
}

/**
 * Embeds a page of texts. When the model refuses one text, the page is halved until that text is found, so that the
 * others get their vectors; its id is returned as refused. Other errors than `model_input` are thrown.
 */
export async function embedMissing(
  deps: Readonly<{ database: Sql; embedder: Embedder; model: string }>,
  stage: VectorStage,
  missing: readonly MissingVector[],
  signal: AbortSignal,
): Promise<Embedded> {
  const [first] = missing;
  if (first === undefined) return { vectors: [], refused: 0 };
  try {
    const vectors = await deps.embedder.embed(
      missing.map(({ content }) => textToEmbed(stage, content)),
      { signal },
    );
    return {
      vectors: missing.map((text, index) => ({ ...text, vector: vectors[index] ?? [] })),
      refused: 0,
    };
  } catch (error) {
    if (!isAppError(error) || error.code !== 'model_input') throw error;
    if (missing.length === 1) {
      await refuseVector(deps.database, deps.model, stage, first);
      return { vectors: [], refused: 1 };
    }
    const middle = Math.ceil(missing.length / 2);
    const left = await embedMissing(deps, stage, missing.slice(0, middle), signal);
    const right = await embedMissing(deps, stage, missing.slice(middle), signal);
    return { vectors: [...left.vectors, ...right.vectors], refused: left.refused + right.refused };
  }
}
