import type {
  Document,
  DocumentWithContent,
  List,
  listDocumentsQuerySchema,
  putDocumentSchema,
  userQuerySchema,
} from '@factmill/contracts';
import type { InputOf, QueryOf } from './contract-types.ts';
import { everyItem } from './pages.ts';
import type { RequestOptions, Transport } from './transport.ts';

type ListQuery = QueryOf<typeof listDocumentsQuerySchema>;
type UserQuery = QueryOf<typeof userQuerySchema>;

/** Context documents. */
export function createDocuments({ send }: Transport, newId: () => string) {
  const list = (query: ListQuery = {}, options?: RequestOptions): Promise<List<Document>> =>
    send('documents.list', { query }, options);

  return {
    /** Stores a document, or replaces the one with that id. */
    put: (body: InputOf<typeof putDocumentSchema>, options?: RequestOptions): Promise<Document> =>
      send('documents.put', { body: { ...body, id: body.id ?? newId() } }, options),
    /** One page without texts, newest first. */
    list,
    /** All of them, page after page. */
    listAll: (query: Omit<ListQuery, 'cursor'> = {}, options?: RequestOptions) =>
      everyItem((cursor) => list({ ...query, cursor }, options)),
    /** A document with its text. */
    get: (id: string, query: UserQuery = {}, options?: RequestOptions): Promise<DocumentWithContent> =>
      send('documents.get', { id, query }, options),
    delete: (id: string, query: UserQuery = {}, options?: RequestOptions): Promise<void> =>
      send('documents.delete', { id, query }, options),
  };
}
