import {
  type BuiltVector,
  type LackingVector,
  refuseVector,
  type Sql,
  type VectorStage,
} from '@factmill/database';
import { isAppError } from '@factmill/errors';
import type { Embedder } from '@factmill/models';

export type Embedded = Readonly<{ vectors: BuiltVector[]; refused: number }>;

/** A text as a model is given it: chunks end where their document was cut, often in the middle of white space. */
function textToEmbed(stage: VectorStage, content: string): string {
  return stage === 'memories' ? content : content.replaceAll(/\s+/g, ' ').trim();
}

/**
 * The vectors of a page. A text that the model refuses must not keep all others waiting: it is found by halves, and
 * remembered. Throws what the embedder throws besides `model_input`.
 */
export async function embedLacking(
  deps: Readonly<{ database: Sql; embedder: Embedder; model: string }>,
  stage: VectorStage,
  lacking: readonly LackingVector[],
  signal: AbortSignal,
): Promise<Embedded> {
  const [first] = lacking;
  if (first === undefined) return { vectors: [], refused: 0 };
  try {
    const vectors = await deps.embedder.embed(
      lacking.map(({ content }) => textToEmbed(stage, content)),
      { signal },
    );
    return {
      vectors: lacking.map(({ id, content }, index) => ({ id, content, vector: vectors[index] ?? [] })),
      refused: 0,
    };
  } catch (error) {
    if (!isAppError(error) || error.code !== 'model_input') throw error;
    if (lacking.length === 1) {
      await refuseVector(deps.database, deps.model, stage, first.id);
      return { vectors: [], refused: 1 };
    }
    const middle = Math.ceil(lacking.length / 2);
    const left = await embedLacking(deps, stage, lacking.slice(0, middle), signal);
    const right = await embedLacking(deps, stage, lacking.slice(middle), signal);
    return { vectors: [...left.vectors, ...right.vectors], refused: left.refused + right.refused };
  }
}
