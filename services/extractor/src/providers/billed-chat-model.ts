import type { UsagePurpose } from '@factmill/contracts';
import { type ChatModel, receivedReplyOf } from '@factmill/models';
import type { UsageMeter } from '@factmill/runtime';

/** Whose work a call is. */
type Payer = Readonly<{ tenantId: string; userId: string }>;

/** The model with its calls counted for one user: as soon as there is a reply, whatever becomes of it. */
export type BillChatModel = (model: ChatModel, payer: Payer, purpose: UsagePurpose) => ChatModel;

export function createBillChatModel(usage: Pick<UsageMeter, 'record'>): BillChatModel {
  return (model, { tenantId, userId }, purpose) => {
    const record = (name: string, inputTokens: number | null, outputTokens: number | null) =>
      usage.record(tenantId, {
        userId,
        model: name,
        purpose,
        inputTokens: inputTokens ?? 0,
        outputTokens: outputTokens ?? 0,
      });
    return {
      get name() {
        return model.name;
      },
      async complete(request) {
        try {
          const reply = await model.complete(request);
          await record(reply.model, reply.usage.promptTokens, reply.usage.completionTokens);
          return reply;
        } catch (error) {
          const received = receivedReplyOf(error);
          if (received !== undefined) {
            await record(received.model ?? model.name, received.promptTokens, received.completionTokens);
          }
          throw error;
        }
      },
      close: model.close,
    };
  };
}
