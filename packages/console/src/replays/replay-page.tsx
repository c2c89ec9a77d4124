import type { Replay } from '@factmill/contracts';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { client } from '../client.ts';
import { VisibleText } from '../text/visible-text.tsx';
import { Badge, Facts, PageHead, Section, Time } from '../ui/small.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { ReplayActions } from './replay-actions.tsx';
import { ReplayDiff } from './replay-diff.tsx';
import {
  callsOf,
  costOf,
  isUnderWay,
  periodOf,
  progressOf,
  reasonOf,
  settingsOf,
  TONES,
} from './replay-words.ts';

const FOLLOW_MS = 1_000;

/** One replay: what it was asked to do, how far it is, what it costs, and what it would change. */
export function ReplayPage() {
  const id = useParams({ strict: false }).id ?? '';
  const replay = useQuery({
    queryKey: ['replays', 'one', id],
    queryFn: ({ signal }) => client.replays.get(id, { signal }),
    refetchInterval: ({ state }) => (isUnderWay(state.data) ? FOLLOW_MS : false),
  });
  return (
    <Loaded query={replay} what="the replay">
      {(data) => (
        <>
          <PageHead title="Replay" name="Replay">
            <Badge tone={TONES[data.state]}>{data.state}</Badge>
            <ReplayActions id={id} state={data.state} />
          </PageHead>
          <Facts facts={factsOf(data)} />
          <Section title="What it would change">
            {data.state === 'discarded' ? (
              <Empty title="It was discarded.">
                <p>Its shadow is gone; what it has cost stays on record.</p>
              </Empty>
            ) : (
              <ReplayDiff id={id} version={`${data.state} ${progressOf(data)}`} />
            )}
          </Section>
        </>
      )}
    </Loaded>
  );
}

function factsOf(replay: Replay) {
  const { estimate, error } = replay;
  return {
    User:
      replay.user_id === null ? (
        'all users'
      ) : (
        <Link to="/users/$id" params={{ id: replay.user_id }}>
          <VisibleText text={replay.user_id} />
        </Link>
      ),
    Extractions: periodOf(replay),
    'Made with': <VisibleText text={settingsOf(replay)} />,
    Progress: progressOf(replay),
    Estimated: callsOf(estimate),
    'Estimated cost': costOf(estimate),
    'Really used': callsOf(replay.usage),
    Started: <Time at={replay.created_at} />,
    Finished: replay.finished_at === null ? null : <Time at={replay.finished_at} />,
    'Waits until': replay.deferred_until === null ? null : <Time at={replay.deferred_until} />,
    'Waits because of': reasonOf(replay),
    Error: error === null ? null : `${error.class}: ${error.message}`,
  };
}
