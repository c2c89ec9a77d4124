import type { PutDocument } from '@factmill/contracts';
import { type PutDocument as Put, putDocument } from '@factmill/database';
import { embedJob } from '@factmill/queue';
import { enqueueSoon } from '../enqueue-soon.ts';
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
    if (wantsEmbedding && stored.outcome !== 'kept') {
      await enqueueSoon(deps, embedJob({ tenantId }, deps.newId()));
    }
    return stored;
  }

  return { put };
}
