import type { Memory } from '@factmill/contracts';
import { Button } from '../ui/button.tsx';
import type { MemoryAction, RunAction } from './memory-changes.ts';
import type { Selected } from './memory-columns.tsx';
import type { MemoryFilters } from './memory-filters.ts';

/** The most memories that one bulk action takes: each is a call of its own, so that each has its own history. */
const MAX_SELECTED = 500;

/** What to do with all selected memories. Each can be taken back. */
export function SelectionBar({
  selected,
  filters,
  loaded,
  onSelect,
  act,
}: Readonly<{
  selected: Selected;
  filters: MemoryFilters;
  loaded: readonly Memory[];
  onSelect: (selected: Selected) => void;
  act: RunAction;
}>) {
  const selectLoaded = () =>
    onSelect(new Map(loaded.slice(0, MAX_SELECTED).map((memory) => [memory.id, memory])));
  const run = (action: MemoryAction) => {
    onSelect(new Map());
    void act(action, [...selected.values()]);
  };
  const isCurrent = filters.state === 'current';
  return (
    <div className="selection" role="group" aria-label="Selected memories">
      <span role="status">{selected.size === 0 ? 'None selected' : `${selected.size} selected`}</span>
      <Button variant="quiet" onClick={selectLoaded} disabled={loaded.length === 0}>
        Select the first {Math.min(loaded.length, MAX_SELECTED)}
      </Button>
      {selected.size > 0 && (
        <>
          <Button variant="quiet" onClick={() => onSelect(new Map())}>
            Select none
          </Button>
          {isCurrent && <Button onClick={() => run('archive')}>Archive</Button>}
          {!isCurrent && <Button onClick={() => run('restore')}>Restore</Button>}
          {filters.state !== 'deleted' && (
            <Button variant="danger" onClick={() => run('delete')}>
              Delete
            </Button>
          )}
        </>
      )}
    </div>
  );
}
