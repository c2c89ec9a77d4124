import type { Profile, Statistics, Summary, User } from '@factmill/contracts';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { client } from '../client.ts';
import { useAccess } from '../session/session.ts';
import { formatCount } from '../text/format.ts';
import { VisibleText } from '../text/visible-text.tsx';
import { Badge, Facts, Figure, Figures, PageHead, Section, Time } from '../ui/small.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { UserSettings } from './user-settings.tsx';

/** One user: what is always in the prompt, the summary, the numbers, and the latest conversations. */
export function UserPage() {
  const { id } = useParams({ strict: false });
  const userId = id ?? '';
  const { can } = useAccess();
  const of = { user_id: userId };
  const user = useQuery({
    queryKey: ['users', 'one', userId],
    queryFn: ({ signal }) => client.users.get(userId, { signal }),
    enabled: can('memory.read_all'),
  });
  const stats = useQuery({
    queryKey: ['stats', userId],
    queryFn: ({ signal }) => client.memories.stats(of, { signal }),
  });
  const profile = useQuery({
    queryKey: ['profile', userId],
    queryFn: ({ signal }) => client.profile(of, { signal }),
  });
  const summary = useQuery({
    queryKey: ['summary', userId],
    queryFn: ({ signal }) => client.summary.get(of, { signal }),
  });
  return (
    <>
      <PageHead title={<VisibleText text={userId} />} name={userId}>
        <nav className="page-links" aria-label="Of this user">
          <Link to="/memories" search={{ user: userId }}>
            Memories
          </Link>
          <Link to="/search" search={{ user: userId }}>
            Search
          </Link>
          <Link to="/conversations" search={{ user: userId }}>
            Conversations
          </Link>
          <Link to="/extractions" search={{ user: userId }}>
            Extractions
          </Link>
        </nav>
      </PageHead>
      <Loaded query={stats} what="the statistics">
        {(data) => <StatisticsOf statistics={data} />}
      </Loaded>
      <div className="two-columns">
        <Section title="Core profile">
          <Loaded query={profile} what="the profile">
            {(data) => <ProfileOf profile={data} />}
          </Loaded>
        </Section>
        <Section title="Summary">
          <Loaded query={summary} what="the summary">
            {(data) => <SummaryOf summary={data} />}
          </Loaded>
        </Section>
      </div>
      {can('memory.read_all') && (
        <Section title="Settings">
          <Loaded query={user} what="the settings">
            {(data: User) => <UserSettings user={data} />}
          </Loaded>
        </Section>
      )}
      <LatestConversations userId={userId} />
    </>
  );
}

function StatisticsOf({
  statistics: { memories, conversations, extractions },
}: Readonly<{ statistics: Statistics }>) {
  const waiting = (extractions.by_state.pending ?? 0) + (extractions.by_state.active ?? 0);
  return (
    <>
      <Figures>
        <Figure label="current memories" value={formatCount(memories.current)} />
        <Figure label="superseded" value={formatCount(memories.superseded)} />
        <Figure label="archived" value={formatCount(memories.archived)} />
        <Figure label="deleted, restorable" value={formatCount(memories.deleted)} />
        <Figure
          label="without a vector"
          value={formatCount(memories.without_vector)}
          tone={memories.without_vector > 0 ? 'warn' : 'plain'}
        />
        <Figure label="messages" value={formatCount(conversations.messages)} />
        <Figure label="not extracted yet" value={formatCount(conversations.messages_not_extracted)} />
        <Figure label="extractions waiting" value={formatCount(waiting)} />
        <Figure
          label="extractions failed"
          value={formatCount(extractions.by_state.failed ?? 0)}
          tone={(extractions.by_state.failed ?? 0) > 0 ? 'bad' : 'plain'}
        />
      </Figures>
      <Facts
        facts={{
          'By kind': <Counts counts={memories.by_kind} />,
          'By tier': <Counts counts={memories.by_tier} />,
          'By category': <Counts counts={memories.by_category} />,
          'Last extraction': <Time at={extractions.last_finished_at} ago />,
        }}
      />
    </>
  );
}

function Counts({ counts }: Readonly<{ counts: Readonly<Record<string, number>> }>) {
  const entries = Object.entries(counts).filter(([, count]) => count > 0);
  if (entries.length === 0) return <span className="muted">none</span>;
  return (
    <span className="counts">
      {entries.map(([name, count]) => (
        <span key={name}>
          <VisibleText text={name} /> <strong>{formatCount(count)}</strong>
        </span>
      ))}
    </span>
  );
}

function ProfileOf({ profile: { memories } }: Readonly<{ profile: Profile }>) {
  if (memories.length === 0) {
    return (
      <Empty title="No memory is in tier 1.">
        <p>What is in tier 1 goes into every prompt. Set the tier of a memory to 1 to put it there.</p>
      </Empty>
    );
  }
  return (
    <ul className="lines">
      {memories.map(({ id, content, category }) => (
        <li key={id}>
          <Link to="/memories/$id" params={{ id }}>
            <VisibleText text={content} />
          </Link>{' '}
          <Badge>{category}</Badge>
        </li>
      ))}
    </ul>
  );
}

function SummaryOf({ summary }: Readonly<{ summary: Summary }>) {
  if (summary.content === null) {
    return (
      <Empty title="There is no summary.">
        <p>Presets with summaries write one after an extraction.</p>
      </Empty>
    );
  }
  return (
    <>
      <p className="prose">
        <VisibleText text={summary.content} />
      </p>
      <p className="muted">
        {summary.source} · <Time at={summary.updated_at} ago />{' '}
        {summary.stale && <Badge tone="warn">a new one follows</Badge>}
      </p>
    </>
  );
}

function LatestConversations({ userId }: Readonly<{ userId: string }>) {
  const latest = useQuery({
    queryKey: ['conversations', 'latest', userId],
    queryFn: ({ signal }) => client.conversations.list({ user_id: userId, limit: 8 }, { signal }),
  });
  return (
    <Section title="Latest conversations">
      <Loaded query={latest} what="conversations">
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No conversation is stored." />
          ) : (
            <ul className="lines">
              {data.map(({ id, title, message_count: messages, last_active_at: at }) => (
                <li key={id}>
                  <Link to="/conversations/$id" params={{ id }} search={{ user: userId }}>
                    <VisibleText text={title ?? id} />
                  </Link>{' '}
                  <span className="muted">
                    {formatCount(messages)} messages, <Time at={at} ago />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}
