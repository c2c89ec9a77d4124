import { useState } from 'react';
import { useAccess } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { CheckField, TextField } from '../ui/fields.tsx';
import { PageHead } from '../ui/small.tsx';
import { Empty } from '../ui/states.tsx';
import { UserField } from '../ui/user-field.tsx';
import { useUrlSearch } from '../url-search.ts';
import { SearchAnswer } from './search-answer.tsx';
import { SettingForm } from './setting-form.tsx';
import { parseSetting, type Setting, SETTING_FIELDS, type Side, SIDES, urlName } from './settings.ts';

/** Asks as an application would, and shows why each memory was found or left out. */
export function PlaygroundPage() {
  const [search, change] = useUrlSearch();
  const { can } = useAccess();
  const [query, setQuery] = useState(search['query'] ?? '');
  const [settings, setSettings] = useState(() => ({
    a: parseSetting(search, 'a'),
    b: parseSetting(search, 'b'),
  }));
  const isComparing = search['compare'] === 'true';
  const sides: readonly Side[] = isComparing ? SIDES : ['a'];
  const asked = {
    query: search['query'] ?? '',
    user: search['user'] ?? '',
    canReadAll: can('memory.read_all'),
  };
  const setField = (side: Side) => (changes: Partial<Setting>) =>
    setSettings((before) => ({ ...before, [side]: { ...before[side], ...changes } }));
  const run = () => {
    const fields = SIDES.flatMap((side) =>
      SETTING_FIELDS.map((field) => [urlName(side, field), settings[side][field]] as const),
    );
    // A number of its own for each run: the same question again is asked again.
    change({ query, run: String(Date.now()), ...Object.fromEntries(fields) });
  };
  return (
    <>
      <PageHead title="Search playground" name="Search" />
      <form
        className="playground"
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <div className="filters">
          <UserField value={asked.user} onChange={(user) => change({ user })} />
          <TextField
            label="Query"
            className="grow"
            type="search"
            value={query}
            onChange={setQuery}
            required
            placeholder="What a user might say or ask"
          />
          <Button type="submit" variant="primary">
            Search
          </Button>
        </div>
        <CheckField
          label="Compare two settings"
          value={isComparing}
          onChange={(compare) => change({ compare: compare ? 'true' : '' })}
        />
        <div className={isComparing ? 'sides two' : 'sides'}>
          {sides.map((side) => (
            <SettingForm
              key={side}
              legend={isComparing ? `Setting ${side.toUpperCase()}` : 'Setting'}
              setting={settings[side]}
              set={setField(side)}
            />
          ))}
        </div>
      </form>
      {asked.query === '' ? (
        <Empty title="Nothing is asked yet.">
          <p>Every candidate is shown with the ways in which it was found, and what became of it.</p>
        </Empty>
      ) : (
        <div className={isComparing ? 'sides two' : 'sides'}>
          {sides.map((side) => (
            <SearchAnswer
              key={side}
              title={isComparing ? `Setting ${side.toUpperCase()}` : 'Result'}
              asked={asked}
              setting={parseSetting(search, side)}
              run={search['run'] ?? ''}
            />
          ))}
        </div>
      )}
    </>
  );
}
