import type { Memory } from '@factmill/contracts';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { formatTime } from '../text/format.ts';
import { VisibleText } from '../text/visible-text.tsx';
import { Button } from '../ui/button.tsx';
import { SelectField } from '../ui/fields.tsx';
import { useUrlSearch } from '../url-search.ts';
import {
  believedAt,
  changesOf,
  knownSpans,
  type Moment,
  placeOf,
  type Range,
  rangeOf,
  type TimelineVersion,
} from './timeline.ts';

type Axis = 'both' | 'valid' | 'known';

const AXES = [
  { value: 'both', label: 'what was believed then' },
  { value: 'valid', label: 'what held then, as known now' },
  { value: 'known', label: 'what was known then of today' },
];

const STEPS = 1_000;

/** Two lanes, when something held and when it became known, and a slider that asks what was believed at a moment. */
export function TimelineView({
  versions,
  memory,
}: Readonly<{ versions: readonly TimelineVersion[]; memory: Memory }>) {
  const [nowMs] = useState(Date.now);
  const [search, change] = useUrlSearch();
  const range = useMemo(() => rangeOf(versions, nowMs), [versions, nowMs]);
  const asOf = Date.parse(search['as_of'] ?? '');
  const time = Number.isNaN(asOf) ? nowMs : asOf;
  const axis = AXES.find(({ value }) => value === search['axis'])?.value ?? 'both';
  const moment = momentOf(axis as Axis, time, nowMs);
  const moveTo = (to: number) =>
    change({
      as_of: Math.abs(to - nowMs) < (range.end - range.start) / STEPS ? '' : new Date(to).toISOString(),
    });
  return (
    <div className="timeline">
      <Lane label="Held">
        {knownSpans(versions, moment.knownAt).map(({ memoryId, content, from, to }) => (
          <div
            key={memoryId}
            className={memoryId === memory.id ? 'span' : 'span other'}
            style={spanStyle(from, to ?? range.end, range)}
            title={content}
          >
            <VisibleText text={content} clamp />
          </div>
        ))}
        <Needle time={moment.validAt} range={range} />
      </Lane>
      <Lane label="Known">
        {versions.map(({ memory_id: id, number, operation, created_at: at }) => (
          <div
            key={`${id} ${number}`}
            className={id === memory.id ? 'mark' : 'mark other'}
            style={{ left: percent(placeOf(Date.parse(at), range)) }}
            title={`${operation.toLowerCase()} ${formatTime(at)}`}
          >
            <span className="unseen">
              {operation.toLowerCase()} {formatTime(at)}
            </span>
          </div>
        ))}
        <Needle time={moment.knownAt} range={range} />
      </Lane>
      <Slider time={time} range={range} moveTo={moveTo} stops={changesOf(versions)} />
      <div className="timeline-foot">
        <SelectField
          label="Show"
          value={axis}
          onChange={(chosen) => change({ axis: chosen === 'both' ? '' : chosen })}
          choices={AXES}
        />
        <Button onClick={() => change({ as_of: '' })} disabled={Number.isNaN(asOf)}>
          Back to now
        </Button>
        <Link
          className="button"
          to="/search"
          search={{
            user: memory.user_id,
            query: memory.content.slice(0, 200),
            as_of: new Date(time).toISOString(),
          }}
        >
          Search as of then
        </Link>
      </div>
      <Answer versions={versions} moment={moment} time={time} />
    </div>
  );
}

function Answer({
  versions,
  moment,
  time,
}: Readonly<{ versions: readonly TimelineVersion[]; moment: Moment; time: number }>) {
  const believed = believedAt(versions, moment);
  return (
    <div className="believed" role="status">
      <p className="muted">As of {formatTime(time)}:</p>
      {believed.length === 0 ? (
        <p>Nothing of this was believed.</p>
      ) : (
        <ul className="lines">
          {believed.map(({ memoryId, content }) => (
            <li key={memoryId}>
              <VisibleText text={content} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Slider({
  time,
  range,
  moveTo,
  stops,
}: Readonly<{ time: number; range: Range; moveTo: (time: number) => void; stops: readonly number[] }>) {
  const before = stops.findLast((stop) => stop < time - 1);
  const after = stops.find((stop) => stop > time + 1);
  return (
    <div className="lane slider">
      <span className="lane-name">As of</span>
      <input
        type="range"
        aria-label="As of"
        min={0}
        max={STEPS}
        value={Math.round(placeOf(time, range) * STEPS)}
        aria-valuetext={formatTime(time)}
        onChange={(event) =>
          moveTo(range.start + (Number(event.target.value) / STEPS) * (range.end - range.start))
        }
      />
      <Button
        aria-label="To the change before"
        disabled={before === undefined}
        onClick={() => moveTo(before ?? time)}
      >
        ‹
      </Button>
      <Button
        aria-label="To the next change"
        disabled={after === undefined}
        onClick={() => moveTo(after ?? time)}
      >
        ›
      </Button>
    </div>
  );
}

function Lane({ label, children }: Readonly<{ label: string; children: ReactNode }>) {
  return (
    <div className="lane">
      <span className="lane-name">{label}</span>
      <div className="lane-track">{children}</div>
    </div>
  );
}

function Needle({ time, range }: Readonly<{ time: number; range: Range }>) {
  return <div className="needle" aria-hidden="true" style={{ left: percent(placeOf(time, range)) }} />;
}

function momentOf(axis: Axis, time: number, nowMs: number): Moment {
  return { validAt: axis === 'known' ? nowMs : time, knownAt: axis === 'valid' ? nowMs : time };
}

function spanStyle(from: number, to: number, range: Range) {
  const [left, right] = [placeOf(from, range), placeOf(to, range)];
  return { left: percent(left), width: percent(Math.max(right - left, 0.004)) };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)}%`;
}
