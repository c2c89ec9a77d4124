import type { Extraction } from '@factmill/contracts';
import { useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { client } from '../client.ts';
import { useAccess } from '../session/session.ts';
import { formatDuration, toWords } from '../text/format.ts';
import { VisibleText } from '../text/visible-text.tsx';
import { Button } from '../ui/button.tsx';
import { Facts, PageHead, Section, Time } from '../ui/small.tsx';
import { Empty, ErrorNotice, Loaded } from '../ui/states.tsx';
import { useTell } from '../ui/toasts.tsx';
import { ExtractionBadge } from './extraction-badge.tsx';
import { Answers } from './answers.tsx';
import { Steps } from './steps.tsx';

const FOLLOW_MS = 1_000;

/** One pass over messages: when each step was, what came of it, what was refused and why. */
export function ExtractionPage() {
  const id = useParams({ strict: false }).id ?? '';
  const { can } = useAccess();
  const extraction = useQuery({
    queryKey: ['extractions', 'one', id],
    queryFn: ({ signal }) => client.extractions.get(id, { signal }),
    refetchInterval: ({ state }) => (isUnderWay(state.data) ? FOLLOW_MS : false),
  });
  return (
    <Loaded query={extraction} what="the extraction">
      {(data) => (
        <>
          <PageHead title="Extraction" name="Extraction">
            <ExtractionBadge extraction={data} />
            <Replay extraction={data} />
          </PageHead>
          <Facts facts={factsOf(data)} />
          <div className="two-columns">
            <Section title="What happened">
              <Steps id={id} version={`${data.state} ${data.attempts}`} />
            </Section>
            <Section title="What it changed">
              <Made ids={data.memory_ids} />
              <Refused rejections={data.rejections ?? {}} />
            </Section>
          </div>
          {can('admin') && (
            <Section title="Raw answers of models">
              <Answers id={id} />
            </Section>
          )}
        </>
      )}
    </Loaded>
  );
}

function isUnderWay(extraction: Extraction | undefined): boolean {
  return extraction?.state === 'pending' || extraction?.state === 'active';
}

function Replay({ extraction }: Readonly<{ extraction: Extraction }>) {
  const { canWrite } = useAccess();
  const queries = useQueryClient();
  const tell = useTell();
  const replay = useMutation({
    mutationFn: () => client.extractions.replay(extraction.id),
    onSuccess: async ({ replayed }) => {
      await queries.invalidateQueries({ queryKey: ['extractions'] });
      tell(
        replayed === 1
          ? 'It starts again.'
          : 'It cannot start again now: it has not ended, or its messages are gone.',
      );
    },
  });
  if (!canWrite('memory.write') || isUnderWay(extraction)) return null;
  return (
    <>
      <Button onClick={() => replay.mutate()} disabled={replay.isPending}>
        Replay
      </Button>
      {replay.isError && <ErrorNotice error={replay.error} />}
    </>
  );
}

function factsOf(extraction: Extraction) {
  const { timings, usage, error, degraded } = extraction;
  return {
    User: (
      <Link to="/users/$id" params={{ id: extraction.user_id }}>
        <VisibleText text={extraction.user_id} />
      </Link>
    ),
    Conversation: (
      <Link
        to="/conversations/$id"
        params={{ id: extraction.conversation_id }}
        search={{ user: extraction.user_id }}
      >
        <VisibleText text={extraction.conversation_id} />
      </Link>
    ),
    Messages: extraction.first_seq == null ? null : `${extraction.first_seq} to ${extraction.last_seq}`,
    Trigger: toWords(extraction.trigger),
    Preset: extraction.preset,
    Attempts: extraction.attempts,
    Reason: extraction.reason === null ? null : toWords(extraction.reason),
    'Deferred until': extraction.deferred_until === null ? null : <Time at={extraction.deferred_until} />,
    'Next attempt': timings.next_attempt_at === null ? null : <Time at={timings.next_attempt_at} ago />,
    Error: error === undefined ? null : `${error.class}: ${error.message}`,
    'Done in part': degraded === undefined ? null : toWords(degraded),
    Waited: formatDuration(timings.queued_ms),
    Model: `${usage.model ?? 'rules'}${timings.model_ms === null ? '' : `, ${formatDuration(timings.model_ms)}`}`,
    Tokens:
      usage.prompt_tokens === null ? null : `${usage.prompt_tokens} in, ${usage.completion_tokens ?? 0} out`,
    'Vectors took': formatDuration(timings.embed_ms),
    'Storing took': formatDuration(timings.apply_ms),
    'All in all': formatDuration(timings.total_ms),
  };
}

function Made({ ids }: Readonly<{ ids: readonly string[] }>) {
  const memories = useQueries({
    queries: ids.slice(0, 50).map((id) => ({
      queryKey: ['memory', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => client.memories.get(id, {}, { signal }),
    })),
  });
  if (ids.length === 0) return <Empty title="It changed no memory." />;
  return (
    <ul className="lines">
      {memories.map(({ data, isError }, index) => (
        <li key={ids[index]}>
          {data === undefined ? (
            <span className="muted">{isError ? 'A memory that is not there any more' : 'Loading…'}</span>
          ) : (
            <Link to="/memories/$id" params={{ id: data.id }}>
              <VisibleText text={data.content} />
            </Link>
          )}
        </li>
      ))}
      {ids.length > 50 && <li className="muted">and {ids.length - 50} more</li>}
    </ul>
  );
}

function Refused({ rejections }: Readonly<{ rejections: Readonly<Record<string, number>> }>) {
  const entries = Object.entries(rejections);
  if (entries.length === 0) return null;
  return (
    <>
      <h3 className="small-head">Refused items of the answer</h3>
      <ul className="lines">
        {entries.map(([reason, count]) => (
          <li key={reason}>
            <strong>{count}</strong> {toWords(reason)}
          </li>
        ))}
      </ul>
    </>
  );
}
