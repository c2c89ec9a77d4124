import type { ReplayChange, ReplayDiffItem } from '@factmill/contracts';
import { Link } from '@tanstack/react-router';
import { Pieces, VisibleText } from '../text/visible-text.tsx';
import { changedFields, diffTexts } from '../text/word-diff.ts';
import { Rows } from '../ui/rows.tsx';
import { Badge, type Tone } from '../ui/small.tsx';

const TONES: Readonly<Record<ReplayChange, Tone>> = {
  added: 'ok',
  changed: 'warn',
  gone: 'bad',
  same: 'plain',
};

/** Memories that are served beside those of the shadow, with the words that differ marked on both sides. */
export function DiffItems({ items }: Readonly<{ items: readonly ReplayDiffItem[] }>) {
  const hasUsers = new Set(items.map(({ user_id: user }) => user)).size > 1;
  return (
    <Rows
      caption="Differences"
      rows={items}
      keyOf={({ before, after }) => `${before?.id ?? ''} ${after?.id ?? ''}`}
      columns={[
        { header: 'Change', cell: ({ change }) => <Badge tone={TONES[change]}>{change}</Badge> },
        ...(hasUsers
          ? [{ header: 'User', cell: ({ user_id: id }: ReplayDiffItem) => <VisibleText text={id} /> }]
          : []),
        { header: 'Served now', cell: (item) => <Side item={item} side="before" /> },
        { header: 'By the replay', cell: (item) => <Side item={item} side="after" /> },
      ]}
    />
  );
}

const MARK = { before: 'removed', after: 'added' } as const;

function Side({ item, side }: Readonly<{ item: ReplayDiffItem; side: 'before' | 'after' }>) {
  const memory = item[side];
  if (memory === null) return <span className="muted">–</span>;
  const text = <Marked before={item.before?.content ?? ''} after={item.after?.content ?? ''} side={side} />;
  return (
    <div className="diff-side">
      {/* Of the shadow there is no page. */}
      {side === 'before' ? (
        <Link to="/memories/$id" params={{ id: memory.id }}>
          {text}
        </Link>
      ) : (
        text
      )}
      <p className="muted">
        <VisibleText text={[memory.category, memory.key].filter((part) => part !== null).join('/')} />
      </p>
      <OtherFields item={item} side={side} />
    </div>
  );
}

/** One side of a text, with what the other does not have marked. */
function Marked({
  before,
  after,
  side,
}: Readonly<{ before: string; after: string; side: 'before' | 'after' }>) {
  const Mark = side === 'before' ? 'del' : 'ins';
  return (
    <bdi className="stored-text">
      {diffTexts(before, after)
        .filter(({ kind }) => kind === 'same' || kind === MARK[side])
        .map(({ kind, text }, index) => {
          const Part = kind === 'same' ? 'span' : Mark;
          return (
            // oxlint-disable-next-line react/no-array-index-key -- parts have no identity but their place
            <Part key={index}>
              <Pieces text={text} />
            </Part>
          );
        })}
    </bdi>
  );
}

/** The fields that differ beside the text, of a changed one. */
function OtherFields({
  item: { before, after, fields },
  side,
}: Readonly<{ item: ReplayDiffItem; side: 'before' | 'after' }>) {
  const others = changedFields(before, after).filter(
    ({ field }) => field !== 'content' && fields.includes(field),
  );
  if (others.length === 0) return null;
  return (
    <dl className="changes">
      {others.map((change) => (
        <div key={change.field}>
          <dt>{change.field}</dt>
          <dd>
            <VisibleText text={change[side] || 'none'} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
