import type { Memory } from '@factmill/contracts';
import { Link } from '@tanstack/react-router';
import { VisibleText } from '../text/visible-text.tsx';
import { Button } from '../ui/button.tsx';
import type { ListColumn } from '../ui/list-table.tsx';
import { Badge, Time } from '../ui/small.tsx';
import type { RunAction } from './memory-changes.ts';
import { StateBadge } from './state-badge.tsx';

export type Selected = ReadonlyMap<string, Memory>;

type Options = Readonly<{
  selected: Selected;
  setSelected: (selected: Selected) => void;
  showsUser: boolean;
  isWritable: boolean;
  act: RunAction;
}>;

/** The columns of the list of memories; those for changing them only for who may. */
export function memoryColumns(options: Options): ListColumn<Memory>[] {
  const { showsUser, isWritable } = options;
  return [
    ...(isWritable ? [selectColumn(options)] : []),
    {
      id: 'content',
      header: 'Memory',
      width: 'minmax(10rem, 1fr)',
      sortBy: 'content',
      cell: ({ id, content, state }) => (
        <Link to="/memories/$id" params={{ id }} className="row-link">
          {state !== 'current' && <StateBadge state={state} />} <VisibleText text={content} clamp />
        </Link>
      ),
    },
    ...(showsUser ? [USER_COLUMN] : []),
    ...COLUMNS,
    ...(isWritable ? [actionColumn(options)] : []),
  ];
}

const USER_COLUMN: ListColumn<Memory> = {
  id: 'user',
  header: 'User',
  width: '9rem',
  sortBy: 'user_id',
  onlyWide: true,
  cell: ({ user_id: id }) => (
    <Link to="/users/$id" params={{ id }}>
      <VisibleText text={id} clamp />
    </Link>
  ),
};

const COLUMNS: readonly ListColumn<Memory>[] = [
  {
    id: 'category',
    header: 'Category',
    width: '8rem',
    sortBy: 'category',
    onlyWide: true,
    cell: ({ category, key }) => <VisibleText text={key === null ? category : `${category}/${key}`} clamp />,
  },
  {
    id: 'kind',
    header: 'Kind',
    width: '3.5rem',
    sortBy: 'kind',
    onlyWide: true,
    cell: ({ kind }) => <Badge>{kind}</Badge>,
  },
  { id: 'tier', header: 'Tier', width: '2.5rem', sortBy: 'tier', onlyWide: true, cell: ({ tier }) => tier },
  {
    id: 'importance',
    header: 'Importance',
    width: '6rem',
    sortBy: 'importance',
    onlyWide: true,
    cell: ({ importance }) => importance.toFixed(2),
  },
  {
    id: 'created',
    header: 'Created',
    width: '6.5rem',
    sortBy: 'created_at',
    cell: ({ created_at: at }) => <Time at={at} ago />,
  },
];

function selectColumn({ selected, setSelected }: Options): ListColumn<Memory> {
  const toggle = (memory: Memory) => {
    const next = new Map(selected);
    if (!next.delete(memory.id)) next.set(memory.id, memory);
    setSelected(next);
  };
  return {
    id: 'select',
    header: 'Select',
    width: '3rem',
    cell: (memory) => (
      <input
        type="checkbox"
        checked={selected.has(memory.id)}
        onChange={() => toggle(memory)}
        aria-label={`Select: ${memory.content.slice(0, 80)}`}
      />
    ),
  };
}

function actionColumn({ act }: Options): ListColumn<Memory> {
  return {
    id: 'actions',
    header: 'Change',
    width: '10.5rem',
    onlyWide: true,
    cell: (memory) => <ActionButtons memory={memory} act={act} />,
  };
}

/** What can be done with a memory in its state. */
export function ActionButtons({ memory, act }: Readonly<{ memory: Memory; act: RunAction }>) {
  const isFound = memory.state === 'current' || memory.state === 'expired';
  return (
    <span className="row-actions">
      {isFound && (
        <Button variant="quiet" onClick={() => void act('archive', [memory])}>
          Archive
        </Button>
      )}
      {!isFound && (
        <Button variant="quiet" onClick={() => void act('restore', [memory])}>
          Restore
        </Button>
      )}
      {memory.state !== 'deleted' && (
        <Button variant="quiet" onClick={() => void act('delete', [memory])}>
          Delete
        </Button>
      )}
    </span>
  );
}
