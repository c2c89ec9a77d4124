import { createHash, randomUUID } from 'node:crypto';
import { type DatabasePool, putDocument } from '@factmill/database';
import { chunkMatchingText, matchingText } from '@factmill/extraction/documents';
import { TENANT } from './extractor.fixture.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

export type StoredDocument = Readonly<{
  userId?: string;
  title?: string;
  /** Put together they are the document. */
  chunks: readonly string[];
  conversationId?: string;
  project?: string;
}>;

/** Stores a document as the gateway does, cut as the test wants it; resolves to its id. */
export async function storeDocument(database: DatabasePool, document: StoredDocument): Promise<string> {
  const content = document.chunks.join('');
  const stored = await putDocument(database, {
    tenantId: TENANT,
    id: randomUUID(),
    userId: document.userId ?? 'maya',
    title: document.title ?? null,
    content,
    matchingText: matchingText(content),
    contentHash: sha256(content),
    chunking: 'test',
    conversationId: document.conversationId ?? null,
    project: document.project ?? null,
    metadata: {},
    chunks: document.chunks.map((chunk) => ({
      id: randomUUID(),
      content: chunk,
      matchingText: chunkMatchingText(chunk),
      contentHash: sha256(chunk),
    })),
    wantsEmbedding: true,
  });
  return stored.document.id;
}
