import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../client.ts';
import { ExtractionBadge } from '../extractions/extraction-badge.tsx';
import { useAccess } from '../session/session.ts';
import { formatDuration } from '../text/format.ts';
import { VisibleText } from '../text/visible-text.tsx';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/fields.tsx';
import { Badge, PageHead } from '../ui/small.tsx';
import { Empty, ErrorNotice, Loading } from '../ui/states.tsx';

const EXAMPLE = 'I moved to Lisbon last spring and I work as a nurse. My dog is called Bruno.';
/** Rules take tens of milliseconds, models seconds. */
const LOOK_MS = 300;

/** Sends a message and shows how it becomes memories. */
export function FirstRunPage() {
  const { session, canWrite } = useAccess();
  const [user, setUser] = useState(session.user_id ?? 'maya');
  const [text, setText] = useState(EXAMPLE);
  const queries = useQueryClient();
  const send = useMutation({
    mutationFn: () =>
      client.extractions.create({ user_id: user, messages: [{ role: 'user', content: text }] }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['users'] }),
  });
  return (
    <>
      <PageHead title="From a message to a memory" name="First memory" />
      <p className="prose">
        A message goes in as an application would send it. It is durable before the call returns; then an
        extraction reads it in the background and keeps what is worth remembering.
      </p>
      <form
        className="form first-run"
        onSubmit={(event) => {
          event.preventDefault();
          send.mutate();
        }}
      >
        <TextField label="User" value={user} onChange={setUser} required />
        <TextField label="What the user says" rows={3} value={text} onChange={setText} required />
        <div className="form-actions">
          <Button type="submit" variant="primary" disabled={send.isPending || !canWrite('memory.write')}>
            Send the message
          </Button>
        </div>
      </form>
      {send.isError && <ErrorNotice error={send.error} />}
      {send.data?.skipped !== undefined && <Empty title={send.data.skipped.detail} />}
      {send.data?.id != null && <Becoming key={send.data.id} id={send.data.id} user={send.data.user_id} />}
    </>
  );
}

function Becoming({ id, user }: Readonly<{ id: string; user: string }>) {
  const extraction = useQuery({
    queryKey: ['extractions', 'one', id],
    queryFn: ({ signal }) => client.extractions.get(id, { signal }),
    refetchInterval: ({ state }) =>
      state.data?.state === 'pending' || state.data?.state === 'active' ? LOOK_MS : false,
  });
  const isDone = extraction.data?.state === 'done';
  const memories = useQuery({
    queryKey: ['memories', 'first', id],
    queryFn: ({ signal }) =>
      Promise.all(
        (extraction.data?.memory_ids ?? []).map((memory) => client.memories.get(memory, {}, { signal })),
      ),
    enabled: isDone,
  });
  return (
    <ol className="steps first-steps">
      <li>
        <Badge tone="ok">stored</Badge> The message is durable.
      </li>
      <li>
        {extraction.data === undefined ? (
          <Loading what="the extraction" />
        ) : (
          <>
            <Link to="/extractions/$id" params={{ id }}>
              Extraction
            </Link>{' '}
            <ExtractionBadge extraction={extraction.data} />{' '}
            <span className="muted">
              {isDone && `in ${formatDuration(extraction.data.timings.total_ms)}`}
            </span>
          </>
        )}
      </li>
      {memories.data?.map(({ id: memory, content, category }) => (
        <li key={memory}>
          <Badge tone="accent">remembered</Badge>{' '}
          <Link to="/memories/$id" params={{ id: memory }}>
            <VisibleText text={content} />
          </Link>{' '}
          <Badge>{category}</Badge>
        </li>
      ))}
      {memories.data?.length === 0 && (
        <li>
          Nothing in it was new or worth remembering. Say where somebody lives, works, or what they like.
        </li>
      )}
      {memories.data !== undefined && memories.data.length > 0 && (
        <li>
          <Link to="/search" search={{ user, query: 'Where does the user live?', run: '1' }}>
            Ask for it
          </Link>
        </li>
      )}
    </ol>
  );
}
