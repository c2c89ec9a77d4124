import type { Memory } from '@factmill/contracts';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { client } from '../client.ts';
import { useAccess } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { useList } from '../ui/list-query.ts';
import { ListTable } from '../ui/list-table.tsx';
import { PageHead } from '../ui/small.tsx';
import { Empty } from '../ui/states.tsx';
import { useUrlSearch } from '../url-search.ts';
import { FilterBar } from './filter-bar.tsx';
import { useMemoryActions } from './memory-changes.ts';
import { memoryColumns } from './memory-columns.tsx';
import {
  isFiltered,
  type MemoryFilters,
  nextOrder,
  parseMemoryFilters,
  toListQuery,
} from './memory-filters.ts';
import { MemoryForm } from './memory-form.tsx';
import { SelectionBar } from './selection-bar.tsx';

/** Memories of a user or of all, with every filter in the address. */
export function MemoriesPage() {
  const { can, canWrite } = useAccess();
  const canReadAll = can('memory.read_all');
  const [search, change] = useUrlSearch();
  const filters = parseMemoryFilters(search);
  const query = useList(['memories', 'list', filters], (cursor, signal) =>
    client.memories.list({ ...toListQuery(filters, canReadAll), cursor, limit: 200 }, { signal }),
  );
  const [isAdding, setAdding] = useState(false);
  const [selected, setSelected] = useState<ReadonlyMap<string, Memory>>(new Map());
  const act = useMemoryActions();
  const isWritable = canWrite('memory.write');
  const columns = useMemo(
    () =>
      memoryColumns({ selected, setSelected, showsUser: filters.user === '' && canReadAll, isWritable, act }),
    [selected, filters.user, canReadAll, isWritable, act],
  );
  return (
    <div className="page-fill">
      <PageHead title="Memories" name="Memories">
        {isWritable && (
          <Button variant="primary" onClick={() => setAdding(true)}>
            Add a memory
          </Button>
        )}
      </PageHead>
      <FilterBar filters={filters} change={change} />
      {isWritable && (
        <SelectionBar
          selected={selected}
          filters={filters}
          loaded={query.data?.pages.flatMap(({ data }) => data) ?? NONE}
          onSelect={setSelected}
          act={act}
        />
      )}
      <ListTable
        label="Memories"
        query={query}
        columns={columns}
        keyOf={({ id }) => id}
        isMarked={({ id }) => selected.has(id)}
        sorting={{
          by: filters.sort,
          order: filters.order,
          onSort: (by) => change(nextOrder(filters, by)),
        }}
        empty={<NoMemories filters={filters} clear={() => change(CLEARED)} />}
      />
      {isAdding && <MemoryForm onClose={() => setAdding(false)} userId={filters.user} />}
    </div>
  );
}

const NONE: readonly Memory[] = [];
const CLEARED = {
  q: '',
  kind: '',
  category: '',
  tag: '',
  key: '',
  tier: '',
  project: '',
  scope: '',
  state: '',
};

function NoMemories({ filters, clear }: Readonly<{ filters: MemoryFilters; clear: () => void }>) {
  if (isFiltered(filters) || filters.state !== 'current') {
    return (
      <Empty title="No memory fits these filters.">
        <Button onClick={clear}>Clear the filters</Button>
      </Empty>
    );
  }
  return (
    <Empty title="Nothing is remembered yet.">
      <p>
        Memories come from conversations, or by hand. <Link to="/first-memory">Send a first message</Link>
      </p>
    </Empty>
  );
}
