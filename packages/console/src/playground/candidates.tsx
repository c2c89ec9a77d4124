import type { Considered, SearchResponse } from '@factmill/contracts';
import { Link } from '@tanstack/react-router';
import { CHANNELS } from '../codes.ts';
import { formatScore } from '../text/format.ts';
import { VisibleText } from '../text/visible-text.tsx';
import { type RowColumn, Rows } from '../ui/rows.tsx';
import { Badge, type Tone } from '../ui/small.tsx';
import { Empty } from '../ui/states.tsx';

/** What became of a candidate, in words. */
const OUTCOMES: Readonly<Record<Considered['outcome'], readonly [string, Tone]>> = {
  result: ['result', 'ok'],
  relevance: ['not relevant enough', 'warn'],
  duplicate: ['says the same as a better one', 'plain'],
  diversity: ['too like a better one', 'plain'],
  token_budget: ['over the token budget', 'warn'],
  limit: ['behind the last result', 'plain'],
  below_cutoff: ['less similar than the cutoff', 'warn'],
};

/** Every candidate with its rank and value in each channel that found it, best first. */
export function Candidates({ response }: Readonly<{ response: SearchResponse }>) {
  const considered = response.explain?.considered ?? [];
  if (considered.length === 0) {
    return (
      <Empty title="Nothing was found.">
        <p>Ask with words of the memory, or look whether this user has memories at all.</p>
      </Empty>
    );
  }
  const turns = new Set(
    response.results.filter(({ turn }) => turn !== undefined).map(({ memory }) => memory.id),
  );
  const used = new Set(considered.flatMap(({ channels }) => channels.map(({ channel }) => channel)));
  const known: readonly string[] = CHANNELS;
  const channels = [...used].sort((a, b) => known.indexOf(a) - known.indexOf(b));
  const columns: RowColumn<Considered>[] = [
    { header: 'Place', isNumber: true, cell: (row) => considered.indexOf(row) + 1 },
    { header: 'Score', isNumber: true, cell: ({ score }) => formatScore(score) },
    {
      header: 'Candidate',
      cell: ({ id, content }) =>
        turns.has(id) ? (
          <>
            <Badge>message</Badge> <VisibleText text={content} />
          </>
        ) : (
          <Link to="/memories/$id" params={{ id }}>
            <VisibleText text={content} />
          </Link>
        ),
    },
    { header: 'Outcome', cell: (row) => <Outcome of={row} /> },
    ...channels.map((channel): RowColumn<Considered> => ({
      header: channel,
      isNumber: true,
      cell: ({ channels: found }) => {
        const place = found.find((entry) => entry.channel === channel);
        if (place === undefined) return <span className="muted">–</span>;
        return (
          <>
            #{place.rank} <span className="muted">{formatScore(place.value)}</span>
          </>
        );
      },
    })),
  ];
  return <Rows caption="Candidates" rows={considered} keyOf={({ id }) => id} columns={columns} />;
}

function Outcome({ of: { outcome, duplicate_of: other } }: Readonly<{ of: Considered }>) {
  const [words, tone] = OUTCOMES[outcome];
  return (
    <>
      <Badge tone={tone}>{words}</Badge>{' '}
      {other !== undefined && (
        <Link to="/memories/$id" params={{ id: other }}>
          which
        </Link>
      )}
    </>
  );
}
