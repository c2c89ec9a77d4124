import { describeLoadError } from '@factmill/models';
import type { Logger } from '@factmill/telemetry';
import type { EmbedTexts } from './embed-texts.ts';

/**
 * Embeds one word at the start, to learn whether the endpoint's vectors fit the stored ones (C12), or to fetch and load
 * a model from ONNX files and register it. Nothing waits for it; while the endpoint is down, the first vectors show it
 * instead.
 */
export function checkEmbedding(embedTexts: EmbedTexts, logger: Logger): { close: () => Promise<void> } {
  const stopping = new AbortController();
  const checked = embedTexts(['dimensions'], stopping.signal).then(
    () => undefined,
    (error: unknown) => {
      if (stopping.signal.aborted) return;
      const described = describeLoadError(error);
      // A mismatch has been reported by then.
      if (described.code !== 'embedding_mismatch')
        logger.warn(described, 'the embedding model does not answer');
    },
  );
  return {
    close: () => {
      stopping.abort(new Error('stopping'));
      return checked;
    },
  };
}
