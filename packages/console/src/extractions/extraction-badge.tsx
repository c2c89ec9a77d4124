import type { Extraction, ExtractionState } from '@factmill/contracts';
import { toWords } from '../text/format.ts';
import { Badge, type Tone } from '../ui/small.tsx';
import { toChanges } from './to-changes.ts';

const TONES: Readonly<Record<ExtractionState, Tone>> = {
  pending: 'accent',
  active: 'accent',
  done: 'ok',
  failed: 'bad',
  dropped: 'warn',
  skipped: 'plain',
};

/** The state of an extraction, and what it did or why it did not. */
export function ExtractionBadge({
  extraction: { state, counts, reason, error, deferred_until: deferred },
}: Readonly<{ extraction: Extraction }>) {
  const why = error?.class ?? reason;
  return (
    <>
      <Badge tone={TONES[state]}>{deferred === null ? state : 'deferred'}</Badge>{' '}
      {state === 'done' && <span className="muted">{toChanges(counts)}</span>}
      {state !== 'done' && why != null && <span className="muted">{toWords(why)}</span>}
    </>
  );
}
