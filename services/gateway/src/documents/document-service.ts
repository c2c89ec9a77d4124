import type { PutDocument } from '@factmill/contracts';
import { type PutDocument as Put, putDocument } from '@factmill/database';
import { isAppError } from '@factmill/errors';
import type { RouteDeps } from '../route-deps.ts';

/** Documents are cut here, without a model; their vectors follow in the background, as for memories. */
export function createDocumentService(deps: RouteDeps) {
  const wantsEmbedding = deps.config.embedding.provider !== 'none';
  const { documentCutter } = deps;

  /** @throws AppError `document_user_mismatch`, `conversation_user_mismatch`, `document_limit`, `overloaded` */
  async function put(tenantId: string, userId: string, input: PutDocument): Promise<Put> {
    const { chunks, ...cut } = await documentCutter.cut(input.content);
    const stored = await putDocument(deps.database.batch, {
      tenantId,
      id: input.id ?? deps.newId(),
      userId,
      title: input.title ?? null,
      content: input.content,
      ...cut,
      chunking: documentCutter.chunking,
      conversationId: input.conversation_id ?? null,
      project: input.project ?? null,
      metadata: input.metadata ?? {},
      chunks: chunks.map((chunk) => ({ id: deps.newId(), ...chunk })),
      wantsEmbedding,
    });
    if (stored.outcome !== 'kept') await embedLater(tenantId);
    return stored;
  }

  async function embedLater(tenantId: string): Promise<void> {
    if (!wantsEmbedding) return;
    try {
      await deps.queues.enqueue([{ name: 'embed', data: { tenantId }, jobId: `embed-${deps.newId()}` }]);
    } catch (error) {
      deps.logger.warn(
        { code: isAppError(error) ? error.code : 'internal' },
        'vectors are left to the sweeper',
      );
    }
  }

  return { put };
}
