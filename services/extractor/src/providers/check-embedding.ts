import { isAppError } from '@factmill/errors';
import type { Logger } from '@factmill/telemetry';
import type { EmbedTexts } from './embed-texts.ts';

/**
 * Embeds one word, so that it comes out at the start whether the endpoint's vectors fit those that are stored (C12).
 * Nothing waits for it; with an endpoint that is away it comes out with the first vectors.
 */
export function checkEmbedding(embedTexts: EmbedTexts, logger: Logger): { close: () => Promise<void> } {
  const stopping = new AbortController();
  const checked = embedTexts(['dimensions'], stopping.signal).then(
    () => undefined,
    (error: unknown) => {
      if (stopping.signal.aborted) return;
      const code = isAppError(error) ? error.code : 'internal';
      // A mismatch has been told by then.
      if (code !== 'embedding_mismatch') logger.warn({ code }, 'the embedding model does not answer');
    },
  );
  return {
    close: () => {
      stopping.abort(new Error('stopping'));
      return checked;
    },
  };
}
