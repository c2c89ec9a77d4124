import type { AuditRecord } from '@factmill/contracts';
import { useMutation } from '@tanstack/react-query';
import { client } from '../client.ts';
import { formatCount, toWords } from '../text/format.ts';
import { VisibleText } from '../text/visible-text.tsx';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/fields.tsx';
import { useList } from '../ui/list-query.ts';
import { type ListColumn, ListTable } from '../ui/list-table.tsx';
import { Badge, Section, Time } from '../ui/small.tsx';
import { Empty, ErrorNotice } from '../ui/states.tsx';
import { useUrlSearch } from '../url-search.ts';

const COLUMNS: readonly ListColumn<AuditRecord>[] = [
  { id: 'number', header: 'Number', width: '5rem', onlyWide: true, cell: ({ number }) => number },
  { id: 'at', header: 'When', width: '10.5rem', cell: ({ at }) => <Time at={at} /> },
  { id: 'action', header: 'Action', width: '13rem', cell: ({ action }) => toWords(action) },
  {
    id: 'actor',
    header: 'By',
    width: '12rem',
    onlyWide: true,
    cell: ({ actor }) => <VisibleText text={actor} clamp />,
  },
  {
    id: 'target',
    header: 'Whom or what',
    width: 'minmax(10rem, 1fr)',
    onlyWide: true,
    cell: ({ target_kind: kind, target_id: id }) => (
      <VisibleText text={[kind, id].filter((part) => part !== null).join(' ')} clamp />
    ),
  },
];

/** Who did what to whom, and whether the record of it is whole. */
export function Audit() {
  const [{ actor = '', user = '' }, change] = useUrlSearch();
  const query = useList(['audit', actor, user], (cursor, signal) =>
    client.audit.list(
      {
        ...(actor === '' ? {} : { actor }),
        ...(user === '' ? {} : { user_id: user }),
        cursor,
        limit: 200,
      },
      { signal },
    ),
  );
  return (
    <Section title="Audit" actions={<Verify />}>
      <search className="filters" aria-label="Filters">
        <TextField label="By" type="search" value={actor} onChange={(text) => change({ actor: text })} />
        <TextField
          label="About the user"
          type="search"
          value={user}
          onChange={(text) => change({ user: text })}
        />
      </search>
      <div className="list-room">
        <ListTable
          label="Audit records"
          query={query}
          columns={COLUMNS}
          keyOf={({ number }) => String(number)}
          empty={<Empty title="No record fits." />}
        />
      </div>
    </Section>
  );
}

function Verify() {
  const verify = useMutation({ mutationFn: () => client.audit.verify() });
  return (
    <span className="row-actions">
      {verify.data !== undefined && (
        <span role="status">
          <Badge tone={verify.data.intact ? 'ok' : 'bad'}>
            {verify.data.intact
              ? `intact: ${formatCount(verify.data.records)} records in order`
              : `record ${verify.data.problem?.number ?? '?'} was ${verify.data.problem?.kind ?? 'changed'}`}
          </Badge>
        </span>
      )}
      <Button onClick={() => verify.mutate()} disabled={verify.isPending}>
        Verify the chain
      </Button>
      {verify.isError && <ErrorNotice error={verify.error} />}
    </span>
  );
}
