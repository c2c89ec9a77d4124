import type { Client } from '@factmill/client';
import type { UseQueryResult } from '@tanstack/react-query';
import { CountGroup } from '../ui/count-group.tsx';
import { Loaded } from '../ui/states.tsx';
import type { LedgerFilters } from './ledger-filters.ts';

type Counts = Awaited<ReturnType<Client['extractions']['counts']>>;

/** How many extractions are in each state, and why some did not succeed; each number is a filter. */
export function LedgerCounts({
  query,
  filters,
  change,
}: Readonly<{
  query: UseQueryResult<Counts>;
  filters: LedgerFilters;
  change: (changes: Record<string, string>) => void;
}>) {
  return (
    <Loaded query={query} what="the counts">
      {({
        by_state: states,
        by_reason: reasons,
        by_error: errors,
        by_trigger: triggers,
        rejections,
        truncated,
      }) => (
        <div className="ledger-counts">
          <CountGroup
            name="States"
            counts={states}
            chosen={filters.state}
            choose={(state) => change({ state, reason: '', error: '' })}
          />
          <CountGroup
            name="Reasons"
            counts={reasons}
            chosen={filters.reason}
            choose={(reason) => change({ reason })}
          />
          <CountGroup
            name="Errors"
            counts={errors}
            chosen={filters.error}
            choose={(error) => change({ error })}
          />
          <CountGroup
            name="Triggers"
            counts={triggers}
            chosen={filters.trigger}
            choose={(trigger) => change({ trigger })}
          />
          <CountGroup name="Refused items" counts={rejections} />
          {truncated === true && <p className="muted">The newest 100,000 are counted.</p>}
        </div>
      )}
    </Loaded>
  );
}
