import type {
  AcceptedMessages,
  Conversation,
  createConversationSchema,
  flushSchema,
  List,
  listConversationsQuerySchema,
  listMessagesQuerySchema,
  Message,
  patchConversationSchema,
  postMessagesSchema,
  deleteQuerySchema,
  userQuerySchema,
} from '@factmill/contracts';
import type { InputOf, QueryOf } from './contract-types.ts';
import { everyItem } from './pages.ts';
import type { KeyedOptions, RequestOptions, Transport } from './transport.ts';

type ListQuery = QueryOf<typeof listConversationsQuerySchema>;
type MessagesQuery = QueryOf<typeof listMessagesQuerySchema>;
type UserQuery = QueryOf<typeof userQuerySchema>;
type DeleteQuery = Partial<QueryOf<typeof deleteQuerySchema>>;

/** Conversations and their messages. */
export function createConversations({ send }: Transport, newId: () => string) {
  const list = (query: ListQuery = {}, options?: RequestOptions): Promise<List<Conversation>> =>
    send('conversations.list', { query }, options);
  const messages = (
    id: string,
    query: MessagesQuery = {},
    options?: RequestOptions,
  ): Promise<List<Message>> => send('conversations.messages', { id, query }, options);

  return {
    /** Creates a conversation, or gets the one with that id. */
    create: (
      body: InputOf<typeof createConversationSchema> = {},
      options?: RequestOptions,
    ): Promise<Conversation> =>
      send('conversations.create', { body: { ...body, id: body.id ?? newId() } }, options),
    /** One page, last active first. */
    list,
    /** All of them, page after page. */
    listAll: (query: Omit<ListQuery, 'cursor'> = {}, options?: RequestOptions) =>
      everyItem((cursor) => list({ ...query, cursor }, options)),
    get: (id: string, query: UserQuery = {}, options?: RequestOptions): Promise<Conversation> =>
      send('conversations.get', { id, query }, options),
    /** Changes title, project, policy or metadata. */
    patch: (
      id: string,
      body: InputOf<typeof patchConversationSchema>,
      options?: RequestOptions,
    ): Promise<Conversation> => send('conversations.patch', { id, body }, options),
    /** Deletes it with its messages and extractions; memories stay. */
    delete: (id: string, query: DeleteQuery = {}, options?: RequestOptions): Promise<void> =>
      send('conversations.delete', { id, query }, options),
    /** One page of messages, oldest first. */
    messages,
    /** All messages, page after page. */
    allMessages: (id: string, query: Omit<MessagesQuery, 'cursor'> = {}, options?: RequestOptions) =>
      everyItem((cursor) => messages(id, { ...query, cursor }, options)),
    /** Stores messages and has them extracted; when it resolves, they are durable. Creates the conversation. */
    post: (
      id: string,
      body: InputOf<typeof postMessagesSchema>,
      options?: KeyedOptions,
    ): Promise<AcceptedMessages> => send('conversations.post', { id, body }, options),
    /** Extracts now what is stored and not yet scheduled. */
    flush: (
      id: string,
      body: InputOf<typeof flushSchema> = {},
      options?: KeyedOptions,
    ): Promise<AcceptedMessages> => send('conversations.flush', { id, body }, options),
  };
}
