import type { ExtractionStep } from '@factmill/contracts';
import { useQuery } from '@tanstack/react-query';
import { client } from '../client.ts';
import { formatDuration, toWords } from '../text/format.ts';
import { VisibleText } from '../text/visible-text.tsx';
import { Time } from '../ui/small.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { toChanges } from './to-changes.ts';

/** The steps of an extraction in their order. `version` changes when there may be new ones. */
export function Steps({ id, version }: Readonly<{ id: string; version: string }>) {
  const steps = useQuery({
    queryKey: ['extractions', 'timeline', id, version],
    queryFn: ({ signal }) => client.extractions.timeline(id, { signal }),
    placeholderData: (before) => before,
  });
  return (
    <Loaded query={steps} what="the steps">
      {({ data }) =>
        data.length === 0 ? (
          <Empty title="No step is recorded." />
        ) : (
          <ol className="steps">
            {data.map((step, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- steps only ever follow
              <li key={index}>
                <strong>{toWords(step.step)}</strong> <Time at={step.at} />{' '}
                {index > 0 && <span className="muted">{toOffset(step, data[0])}</span>}
                <Details step={step} />
              </li>
            ))}
          </ol>
        )
      }
    </Loaded>
  );
}

/** How long after the first step. */
function toOffset(step: ExtractionStep, first: ExtractionStep | undefined): string {
  const ms = Date.parse(step.at) - Date.parse(first?.at ?? step.at);
  return ms < 0 ? '' : `after ${formatDuration(ms)}`;
}

function Details({ step }: Readonly<{ step: ExtractionStep }>) {
  const { answer, counts, reason, error, took_ms: tookMs } = step;
  const parts = [
    answer === undefined ? '' : `${toWords(answer.purpose)}, ${answer.status}, by ${answer.model}`,
    answer?.prompt_tokens == null ? '' : `${answer.prompt_tokens} tokens in`,
    answer?.completion_tokens == null ? '' : `${answer.completion_tokens} tokens out`,
    answer?.finish_reason == null ? '' : `ended: ${toWords(answer.finish_reason)}`,
    counts === undefined ? '' : toChanges(counts),
    reason === undefined ? '' : toWords(reason),
    error === undefined ? '' : `${error.class}: ${error.message}`,
    tookMs === undefined ? '' : `stored in ${formatDuration(tookMs)}`,
  ].filter((part) => part !== '');
  if (parts.length === 0) return null;
  return (
    <p className="muted">
      <VisibleText text={parts.join(' · ')} />
    </p>
  );
}
