import type { Extraction, Memory, Message } from '@factmill/contracts';
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { client } from '../client.ts';
import { ExtractionBadge } from '../extractions/extraction-badge.tsx';
import { VisibleText } from '../text/visible-text.tsx';
import { Button } from '../ui/button.tsx';
import { useList } from '../ui/list-query.ts';
import { Facts, PageHead, Section, Time } from '../ui/small.tsx';
import { Empty, ErrorNotice, Loaded, Loading } from '../ui/states.tsx';
import { useUrlSearch } from '../url-search.ts';
import { Progress } from './conversations-page.tsx';
import { MessageView } from './message-view.tsx';

/** So many memories are fetched to be shown under the messages that they came from. */
const MAX_MEMORIES = 60;

/** A conversation, message by message, each with what it became. */
export function ConversationPage() {
  const id = useParams({ strict: false }).id ?? '';
  const [{ user }] = useUrlSearch();
  const of = user === undefined ? {} : { user_id: user };
  const conversation = useQuery({
    queryKey: ['conversations', 'one', id, user],
    queryFn: ({ signal }) => client.conversations.get(id, of, { signal }),
  });
  const messages = useList(['conversations', 'messages', id, user], (cursor, signal) =>
    client.conversations.messages(id, { ...of, cursor, limit: 200, superseded: true }, { signal }),
  );
  const extractions = useQuery({
    queryKey: ['extractions', 'of', id, user],
    queryFn: ({ signal }) => client.extractions.list({ ...of, conversation_id: id, limit: 200 }, { signal }),
  });
  const memories = useMemoriesOf(extractions.data?.data ?? []);
  return (
    <>
      <Loaded query={conversation} what="the conversation">
        {(data) => (
          <>
            <PageHead title={<VisibleText text={data.title ?? data.id} />} name="Conversation" />
            <Facts
              facts={{
                User: (
                  <Link to="/users/$id" params={{ id: data.user_id }}>
                    <VisibleText text={data.user_id} />
                  </Link>
                ),
                Id: <VisibleText text={data.id} />,
                Project: data.project === null ? null : <VisibleText text={data.project} />,
                Messages: data.message_count,
                Began: <Time at={data.created_at} />,
                'Last active': <Time at={data.last_active_at} ago />,
                Extracted: <Progress of={data} />,
              }}
            />
          </>
        )}
      </Loaded>
      <Section title="Messages">
        {messages.data === undefined && !messages.isError && <Loading what="the messages" />}
        {messages.isError && <ErrorNotice error={messages.error} retry={() => void messages.refetch()} />}
        <ol className="messages">
          {messages.data?.pages
            .flatMap(({ data }) => data)
            .map((message) => (
              <MessageView key={message.id} message={message}>
                <Became message={message} memories={memories} extractions={extractions.data?.data ?? []} />
              </MessageView>
            ))}
        </ol>
        {messages.data?.pages[0]?.data.length === 0 && <Empty title="No message is stored." />}
        {messages.hasNextPage && (
          <Button onClick={() => void messages.fetchNextPage()} disabled={messages.isFetching}>
            Show more messages
          </Button>
        )}
      </Section>
    </>
  );
}

function useMemoriesOf(extractions: readonly Extraction[]): readonly Memory[] {
  const ids = [...new Set(extractions.flatMap(({ memory_ids: made }) => made))].slice(0, MAX_MEMORIES);
  return useQueries({
    queries: ids.map((id) => ({
      queryKey: ['memory', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => client.memories.get(id, {}, { signal }),
    })),
    combine: (results) => results.flatMap(({ data }) => data ?? []),
  });
}

function becameOf(message: Message, memories: readonly Memory[]): Memory[] {
  return memories.filter(({ provenance }) => provenance.message_ids.includes(message.id));
}

/** The memories of a message, and the extraction that ends with it. */
function Became({
  message,
  memories,
  extractions,
}: Readonly<{ message: Message; memories: readonly Memory[]; extractions: readonly Extraction[] }>) {
  const made = becameOf(message, memories);
  const ends = extractions.filter(({ last_seq: last }) => last === message.seq);
  if (made.length === 0 && ends.length === 0) return null;
  return (
    <ul className="lines became">
      {made.map(({ id, content }) => (
        <li key={id}>
          →{' '}
          <Link to="/memories/$id" params={{ id }}>
            <VisibleText text={content} />
          </Link>
        </li>
      ))}
      {ends.map((extraction) => (
        <li key={extraction.id}>
          <Link to="/extractions/$id" params={{ id: extraction.id }}>
            Extraction
          </Link>{' '}
          <ExtractionBadge extraction={extraction} />
        </li>
      ))}
    </ul>
  );
}
