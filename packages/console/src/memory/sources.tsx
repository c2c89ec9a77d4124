import type { Memory } from '@factmill/contracts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client } from '../client.ts';
import { MessageView } from '../conversations/message-view.tsx';
import { Empty, Loaded } from '../ui/states.tsx';

/** The messages that a memory rests on, marked among those around them. */
export function Sources({ memory }: Readonly<{ memory: Memory }>) {
  const sources = useQuery({
    queryKey: ['memory', memory.id, 'sources'],
    queryFn: ({ signal }) => client.memories.sources(memory.id, {}, { signal }),
  });
  return (
    <Loaded query={sources} what="the messages">
      {({ conversation_id: conversation, extraction_id: extraction, messages }) =>
        messages.length === 0 ? (
          <Empty title="It rests on no stored message.">
            <p>
              {memory.provenance.message_ids.length > 0
                ? 'Its messages were deleted, or are no longer kept.'
                : `It was saved directly (${memory.source}).`}
            </p>
          </Empty>
        ) : (
          <>
            <ol className="messages">
              {messages.map((message) => (
                <MessageView key={message.id} message={message} isMarked={message.is_source} />
              ))}
            </ol>
            <p className="page-links">
              {conversation !== null && (
                <Link to="/conversations/$id" params={{ id: conversation }} search={{ user: memory.user_id }}>
                  The whole conversation
                </Link>
              )}
              {extraction !== null && (
                <Link to="/extractions/$id" params={{ id: extraction }}>
                  The extraction
                </Link>
              )}
            </p>
          </>
        )
      }
    </Loaded>
  );
}
