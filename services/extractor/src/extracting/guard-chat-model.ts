import type { ChatModel } from '@factmill/models';
import { callThrough, type ProviderBreaker } from './provider-breaker.ts';

/**
 * The model for calls that no claim has asked the breaker for: those after an extraction's first, which may come much
 * later or in another run, and those of other work. While the provider is down they throw `model_transient`, with the
 * time until the next try, and one of them may be that try.
 */
export function guardChatModel(model: ChatModel, breaker: ProviderBreaker): ChatModel {
  return {
    get name() {
      return model.name;
    },
    complete: (request) =>
      callThrough(breaker, { mayProbe: true, trustsOneFailure: false }, () => model.complete(request)),
    close: model.close,
  };
}
