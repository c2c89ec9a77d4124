import type { Conversation } from '@factmill/contracts';
import { Link } from '@tanstack/react-router';
import { client } from '../client.ts';
import { useAccess } from '../session/session.ts';
import { formatCount } from '../text/format.ts';
import { VisibleText } from '../text/visible-text.tsx';
import { useList } from '../ui/list-query.ts';
import { type ListColumn, ListTable } from '../ui/list-table.tsx';
import { Badge, PageHead, Time } from '../ui/small.tsx';
import { Empty } from '../ui/states.tsx';
import { UserField } from '../ui/user-field.tsx';
import { useUrlSearch } from '../url-search.ts';

const COLUMNS: readonly ListColumn<Conversation>[] = [
  {
    id: 'title',
    header: 'Conversation',
    width: 'minmax(10rem, 1fr)',
    cell: ({ id, title, user_id: user }) => (
      <Link to="/conversations/$id" params={{ id }} search={{ user }} className="row-link">
        <VisibleText text={title ?? id} clamp />
      </Link>
    ),
  },
  {
    id: 'user',
    header: 'User',
    width: '10rem',
    onlyWide: true,
    cell: ({ user_id: user }) => <VisibleText text={user} clamp />,
  },
  { id: 'messages', header: 'Messages', width: '6rem', cell: ({ message_count: n }) => formatCount(n) },
  {
    id: 'extracted',
    header: 'Extracted',
    width: '11rem',
    onlyWide: true,
    cell: (row) => <Progress of={row} />,
  },
  {
    id: 'active',
    header: 'Last active',
    width: '8.5rem',
    cell: ({ last_active_at: at }) => <Time at={at} ago />,
  },
];

/** Conversations, last active first. */
export function ConversationsPage() {
  const { session } = useAccess();
  const [{ user = '' }, change] = useUrlSearch();
  const whose = user === '' ? {} : { user_id: user };
  const isNamed = user !== '' || session.user_id !== null;
  const query = useList(
    ['conversations', 'list', user],
    (cursor, signal) => client.conversations.list({ ...whose, cursor, limit: 200 }, { signal }),
    { enabled: isNamed },
  );
  return (
    <div className="page-fill">
      <PageHead title="Conversations" name="Conversations" />
      <search className="filters" aria-label="Filters">
        <UserField value={user} onChange={(chosen) => change({ user: chosen })} />
      </search>
      {isNamed ? (
        <ListTable
          label="Conversations"
          query={query}
          columns={COLUMNS}
          keyOf={({ id, user_id: of }) => `${of} ${id}`}
          empty={
            <Empty title="No conversation is stored of this user.">
              <Link to="/first-memory">Send a first message</Link>
            </Empty>
          }
        />
      ) : (
        <Empty title="Whose conversations?">
          <p>
            Name a user above, or choose one among <Link to="/users">all users</Link>.
          </p>
        </Empty>
      )}
    </div>
  );
}

/** How far a conversation has been extracted, and when the rest is due. */
export function Progress({ of }: Readonly<{ of: Conversation }>) {
  if (of.extraction_due_at !== null) {
    return (
      <Badge tone="accent">
        due <Time at={of.extraction_due_at} ago />
      </Badge>
    );
  }
  if (of.extracted_at === null) return <Badge>nothing yet</Badge>;
  return (
    <span className="muted">
      <Time at={of.extracted_at} ago />
    </span>
  );
}
