import type { Client } from '@factmill/client';
import { Link } from '@tanstack/react-router';
import { formatTime } from '../text/format.ts';
import { Pieces, VisibleText } from '../text/visible-text.tsx';
import { changedFields, diffTexts, type FieldChange } from '../text/word-diff.ts';
import { Badge, Time } from '../ui/small.tsx';

type Version = Awaited<ReturnType<Client['memories']['history']>>['data'][number];

/** Every version of the memory and of those it replaced, newest first, as what it changed. */
export function Versions({
  versions,
  memoryId,
}: Readonly<{ versions: readonly Version[]; memoryId: string }>) {
  const newestFirst = versions.toSorted(
    (a, b) => Date.parse(b.created_at) - Date.parse(a.created_at) || b.number - a.number,
  );
  return (
    <ol className="versions">
      {newestFirst.map((version) => (
        <li key={`${version.memory_id} ${version.number}`}>
          <p className="version-head">
            <Badge tone={version.memory_id === memoryId ? 'accent' : 'plain'}>
              {version.operation.toLowerCase()}
            </Badge>{' '}
            <Time at={version.created_at} /> <span className="muted">by</span>{' '}
            <VisibleText text={version.actor} />
            {version.cause !== null && (
              <span className="muted">
                {' '}
                because of <VisibleText text={version.cause} />
              </span>
            )}
            {version.memory_id !== memoryId && (
              <>
                {' '}
                of{' '}
                <Link to="/memories/$id" params={{ id: version.memory_id }}>
                  the one before
                </Link>
              </>
            )}
            {version.extraction_id !== null && (
              <>
                {' '}
                <Link to="/extractions/$id" params={{ id: version.extraction_id }}>
                  extraction
                </Link>
              </>
            )}
          </p>
          <Changes before={version.before} after={version.after} />
        </li>
      ))}
    </ol>
  );
}

/** Fields that say nothing to a reader while they keep their first value. */
const SHOWN_WHEN_NEW = new Set([
  'content',
  'key',
  'value',
  'question',
  'answer',
  'category',
  'valid_from',
  'tags',
]);

function Changes({ before, after }: Readonly<{ before: unknown; after: unknown }>) {
  const isNew = before === null;
  const changes = changedFields(before, after).filter(
    (change) => !isNew || (SHOWN_WHEN_NEW.has(change.field) && change.after !== '[]'),
  );
  if (changes.length === 0) return <p className="muted">No field that is shown here has changed.</p>;
  return (
    <dl className="changes">
      {changes.map((change) => (
        <div key={change.field}>
          <dt>{change.field.replaceAll('_', ' ')}</dt>
          <dd>
            <Diff change={change} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

const TIMES = /_at$|^valid_/;

function Diff({ change }: Readonly<{ change: FieldChange }>) {
  const toShown = (text: string) => (text !== '' && TIMES.test(change.field) ? formatTime(text) : text);
  const [before, after] = [toShown(change.before), toShown(change.after)];
  return (
    <bdi className="stored-text">
      {diffTexts(before, after).map(({ kind, text }, index) => {
        const Part = kind === 'added' ? 'ins' : kind === 'removed' ? 'del' : 'span';
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
