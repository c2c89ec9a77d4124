import { useQuery } from '@tanstack/react-query';
import { client } from '../client.ts';
import { useAccess } from '../session/session.ts';
import { formatCount, formatDuration, toWords } from '../text/format.ts';
import { SelectField } from '../ui/fields.tsx';
import { Badge, Facts, Figure, Figures, PageHead, Section, Time } from '../ui/small.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { useUrlSearch } from '../url-search.ts';
import { Live } from './live.tsx';
import { Series } from './series.tsx';
import { fetchHealth } from './service-health.ts';

const REFRESH_MS = 5_000;
const PERIODS = [
  { value: '', label: 'the last hour, by minute' },
  { value: 'day', label: 'the last day, by hour' },
  { value: 'month', label: 'the last month, by day' },
];

/** How the installation is: what waits, how fast it goes, what is broken, what is used up. */
export function HealthPage() {
  const { can, status } = useAccess();
  const [{ period = '' }, change] = useUrlSearch();
  return (
    <>
      <PageHead title="Health" name="Health">
        {status.queue_board !== null && can('operator') && (
          <a href={status.queue_board}>Queues in Bull Board</a>
        )}
      </PageHead>
      <Services />
      {can('memory.read_all') && <Backlog />}
      <Section
        title="Extractions over time"
        actions={
          <SelectField
            label="Period"
            value={period}
            onChange={(chosen) => change({ period: chosen })}
            choices={PERIODS}
          />
        }
      >
        <Series period={period} />
      </Section>
      <Section title="Live">
        <Live everybody={can('memory.read_all')} />
      </Section>
    </>
  );
}

function Services() {
  const health = useQuery({ queryKey: ['health'], queryFn: fetchHealth, refetchInterval: REFRESH_MS });
  return (
    <Loaded query={health} what="the state of the services">
      {({ status, impaired, facts }) => (
        <>
          <p>
            <Badge tone={status === 'ok' ? 'ok' : 'bad'}>{status}</Badge>{' '}
            {impaired.length > 0 && (
              <span className="bad">
                {impaired.map(toWords).join(', ')} cannot be reached: look at the logs of that service.
              </span>
            )}
          </p>
          <Facts facts={facts} />
        </>
      )}
    </Loaded>
  );
}

function Backlog() {
  const totals = useQuery({
    queryKey: ['stats', 'tenant'],
    queryFn: ({ signal }) => client.tenant.stats({ signal }),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Section title="Now">
      <Loaded query={totals} what="the backlog">
        {({ extractions, providers_down: down, budgets }) => (
          <>
            <Figures>
              <Figure label="waiting" value={formatCount(extractions.pending)} />
              <Figure label="at work" value={formatCount(extractions.active)} />
              <Figure
                label="oldest waits for"
                value={
                  extractions.oldest_waiting_at === null
                    ? '–'
                    : formatDuration(Math.max(0, Date.now() - Date.parse(extractions.oldest_waiting_at)))
                }
              />
              <Figure
                label="wait for a budget"
                value={formatCount(extractions.deferred)}
                tone={extractions.deferred > 0 ? 'warn' : 'plain'}
              />
            </Figures>
            <div className="two-columns">
              <Breakers down={down} />
              {budgets !== undefined && <Budgets budgets={budgets} />}
            </div>
          </>
        )}
      </Loaded>
    </Section>
  );
}

type Totals = Awaited<ReturnType<typeof client.tenant.stats>>;

function Breakers({ down }: Readonly<{ down: Totals['providers_down'] }>) {
  return (
    <div>
      <h3 className="small-head">Circuit breakers</h3>
      {down.length === 0 ? (
        <p>
          <Badge tone="ok">closed</Badge> Every provider of models may be called.
        </p>
      ) : (
        <ul className="lines">
          {down.map(({ kind, reason, since, next_probe_at: probe }) => (
            <li key={kind}>
              <Badge tone="bad">open</Badge> {toWords(kind)} since <Time at={since} ago />
              {reason !== null && `, ${toWords(reason)}`}; the next try is <Time at={probe} ago />. What waits
              goes on by itself when it succeeds.
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Budgets({ budgets }: Readonly<{ budgets: NonNullable<Totals['budgets']> }>) {
  return (
    <div>
      <h3 className="small-head">Budgets</h3>
      {budgets.length === 0 ? (
        <Empty title="No budget is set: work with models is not limited." />
      ) : (
        <ul className="lines">
          {budgets.map(({ period, unit, amount, spent, resets_at: resets }) => (
            <li key={`${period} ${unit}`}>
              <label>
                {unit} a {period}: {formatCount(spent)} of {formatCount(amount)}{' '}
                <meter min={0} max={Math.max(amount, 1)} value={spent} />
              </label>{' '}
              <span className="muted">
                anew <Time at={resets} ago />
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
