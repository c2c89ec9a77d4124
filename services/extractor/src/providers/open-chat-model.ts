import type { ChatModelConfig } from '@factmill/config';
import { createFallbackChatModel, type FallbackChatModel } from '@factmill/models';
import type { Logger } from '@factmill/telemetry';

/**
 * The configured chat model with its fallbacks (B1). Logs once when extraction stops because the endpoint has none of
 * them, when it resumes, and when another model is used. With several models it checks at once which one is
 * available; the start does not wait for it.
 */
export function openChatModel(config: ChatModelConfig, logger: Logger): FallbackChatModel {
  let wasOff = false;
  const instead =
    config.fallbackModels.length === 0
      ? 'the smallest model that the endpoint has'
      : 'a model of LLM_FALLBACK_MODELS';
  const model = createFallbackChatModel(config, {
    now: Date.now,
    onAvailability: (availability) => {
      if (availability.kind === 'none') {
        wasOff = true;
        logger.warn(
          'extraction is off: the endpoint has none of the models in LLM_MODEL and LLM_FALLBACK_MODELS; what is accepted waits until it has one',
        );
      } else if (availability.kind === 'model') {
        const fallback = availability.model !== config.model;
        if (fallback)
          logger.warn({ model: availability.model }, `LLM_MODEL is not available, ${instead} is used`);
        else if (wasOff) logger.info('LLM_MODEL is available, extraction is on');
        wasOff = fallback;
      }
    },
  });
  void model.check();
  return model;
}
