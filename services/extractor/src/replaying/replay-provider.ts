import { RULES_MODEL } from '@factmill/contracts';
import type { Config } from '@factmill/config';
import type { ReplayClaim } from '@factmill/database';
import { AppError, isAppError } from '@factmill/errors';
import { parseTemplate, presetNamed, type Prompts } from '@factmill/extraction';
import { type ChatModel, createChatModel, noteReceived, receivedReplyOf } from '@factmill/models';
import {
  createChatProvider,
  createExtractiveProvider,
  type Provider,
} from '../extracting/answer-providers.ts';
import type { Providers } from '../open-providers.ts';
import { guardChatModel } from '../providers/breaker.ts';
import { blamesProvider } from '../providers/error-treatments.ts';

export type ReplayProviderDeps = Readonly<{
  config: Config['extractor'];
  chat: Providers['chat'];
  meter: Providers['meter'];
  prompts: Prompts;
}>;

export type ReplayProvider = Readonly<{ provider: Provider; prompts: Prompts; close: () => Promise<void> }>;

/**
 * Who answers a run of a replay: the configured model or another one at its endpoint, with the prompt of the replay if it
 * has one; or the rules. The claim brought no permit, so each call acquires its own.
 *
 * @throws AppError `model_config` when the replay names a model and none is configured, or its prompt does not fit
 */
export function createReplayProvider({ config, chat, meter, prompts }: ReplayProviderDeps) {
  return function replayProvider(claim: ReplayClaim): ReplayProvider {
    if (claim.model === RULES_MODEL || (chat === null && claim.model === null)) {
      const provider = createExtractiveProvider({ keepsOwnWords: config.keepsOwnWords });
      return { provider, prompts, close: () => Promise.resolve() };
    }
    if (chat === null || config.chatModel === null) {
      throw new AppError('model_config', 'No model is configured (LLM_BASE_URL and LLM_MODEL).');
    }
    const model =
      claim.model === null
        ? chat.model
        : withoutBlame(createChatModel({ ...config.chatModel, model: claim.model }));
    const asked = meter(guardChatModel(model, chat.breaker), 'replay');
    const inForce = withOwnPrompt(prompts, claim);
    return {
      provider: createChatProvider({ extraction: asked, reconcile: asked }, inForce),
      prompts: inForce,
      close: () => (model === chat.model ? Promise.resolve() : model.close()),
    };
  };
}

/**
 * A model whose failures say nothing about the one that is configured: they count as attempts of the run, and never open
 * the breaker that both share. One that the endpoint does not have fails the run at once.
 */
function withoutBlame(model: ChatModel): ChatModel {
  return {
    ...model,
    async complete(request) {
      try {
        return await model.complete(request);
      } catch (error) {
        if (!isAppError(error) || !blamesProvider(error.code)) throw error;
        const { message, retryAfterSeconds } = error;
        const isMissing = error.code === 'model_unavailable' || error.code === 'model_config';
        const own = new AppError(isMissing ? 'model_input' : 'upstream_unavailable', message, {
          cause: error,
          ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
        });
        const received = receivedReplyOf(error);
        throw received === undefined ? own : noteReceived(own, received);
      }
    },
  };
}

function withOwnPrompt(prompts: Prompts, { preset, prompt }: ReplayClaim): Prompts {
  if (prompt === null) return prompts;
  const { prompt: name } = presetNamed(preset);
  const { template, problems } = parseTemplate(name, prompt);
  if (template === null) {
    throw new AppError('model_config', `The prompt of the replay ${problems.join('; ')}.`);
  }
  return { ...prompts, [name]: template };
}
