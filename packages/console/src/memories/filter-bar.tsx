import { useEffect, useState } from 'react';
import { KINDS, MEMORY_STATES } from '../codes.ts';
import { Button } from '../ui/button.tsx';
import { choicesOf, SelectField, TextField } from '../ui/fields.tsx';
import { UserField } from '../ui/user-field.tsx';
import type { UrlSearch } from '../url-search.ts';
import type { MemoryFilters } from './memory-filters.ts';

/** How long typing pauses before the list follows it. */
const PAUSE_MS = 250;

const MORE = ['category', 'tag', 'key', 'project', 'scope'] as const;

/** All filters of the API; the seldom ones are folded away until one of them is in use. */
export function FilterBar({
  filters,
  change,
}: Readonly<{ filters: MemoryFilters; change: (changes: UrlSearch) => void }>) {
  const isMoreInUse = MORE.some((name) => filters[name] !== '') || filters.tier !== '';
  const [showsMore, setShowsMore] = useState(isMoreInUse);
  return (
    <search className="filters" aria-label="Filters">
      <UserField value={filters.user} onChange={(user) => change({ user })} />
      <TypedFilter label="Contains" name="q" value={filters.q} change={change} />
      <SelectField
        label="State"
        value={filters.state}
        onChange={(state) => change({ state: state === 'current' ? '' : state })}
        choices={choicesOf(MEMORY_STATES)}
      />
      <SelectField
        label="Kind"
        value={filters.kind}
        onChange={(kind) => change({ kind })}
        choices={choicesOf(KINDS, 'any')}
      />
      {showsMore && (
        <>
          <SelectField
            label="Tier"
            value={filters.tier}
            onChange={(tier) => change({ tier })}
            choices={choicesOf(['1', '2', '3'], 'any')}
          />
          {MORE.map((name) => (
            <TypedFilter
              key={name}
              label={`${name[0]?.toUpperCase() ?? ''}${name.slice(1)}`}
              name={name}
              value={filters[name]}
              change={change}
            />
          ))}
        </>
      )}
      <Button variant="quiet" aria-expanded={showsMore} onClick={() => setShowsMore(!showsMore)}>
        {showsMore ? 'Fewer filters' : 'More filters'}
      </Button>
    </search>
  );
}

function TypedFilter({
  label,
  name,
  value,
  change,
}: Readonly<{ label: string; name: string; value: string; change: (changes: UrlSearch) => void }>) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => change({ [name]: typed }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, value, name, change]);
  return <TextField label={label} type="search" value={typed} onChange={setTyped} />;
}
