import { type ChatModel, type ChatReply, receivedReplyOf } from '@factmill/models';
import { createCounter, seriesOf } from '@factmill/telemetry';

const PURPOSES = ['extraction', 'reconcile', 'summary', 'compression', 'replay'] as const;

/** The purposes of model calls. */
type ModelPurpose = (typeof PURPOSES)[number];

export type MeterChatModel = (model: ChatModel, purpose: ModelPurpose) => ChatModel;

/** Counts calls that cost money, those with a reply of status 200, and their tokens as the endpoint reports them. */
export function createModelMeter(): MeterChatModel {
  const countCalls = createCounter(
    'factmill_model_calls_total',
    'Model calls that are paid for, by purpose',
    seriesOf({ purpose: PURPOSES }),
  );
  const countTokens = createCounter(
    'factmill_model_tokens_total',
    'Tokens of model calls, by purpose and direction',
    seriesOf({ purpose: PURPOSES, direction: ['input', 'output'] }),
  );
  return (model, purpose) => {
    const count = ({ promptTokens, completionTokens }: ChatReply['usage']) => {
      countCalls(1, { purpose });
      countTokens(promptTokens, { purpose, direction: 'input' });
      countTokens(completionTokens, { purpose, direction: 'output' });
    };
    return {
      get name() {
        return model.name;
      },
      async complete(request) {
        try {
          const reply = await model.complete(request);
          count(reply.usage);
          return reply;
        } catch (error) {
          const received = receivedReplyOf(error);
          if (received !== undefined) count(received);
          throw error;
        }
      },
      close: model.close,
    };
  };
}
