/** A version of a memory, as far as the timeline needs it. */
export type TimelineVersion = Readonly<{
  memory_id: string;
  number: number;
  operation: string;
  after: unknown;
  created_at: string;
}>;

/** A memory as it stood in a version: what it said and since when until when that held. Times in milliseconds. */
export type Belief = Readonly<{ memoryId: string; content: string; from: number; to: number | null }>;

export type Moment = Readonly<{ validAt: number; knownAt: number }>;

/** What was known of each memory at a moment, whether or not it held then: the spans of the lane of valid time. */
export function knownSpans(versions: readonly TimelineVersion[], knownAt: number): Belief[] {
  const latest = new Map<string, TimelineVersion>();
  for (const version of versions) {
    if (Date.parse(version.created_at) > knownAt) continue;
    const other = latest.get(version.memory_id);
    if (other === undefined || other.number < version.number) latest.set(version.memory_id, version);
  }
  return [...latest.values()].flatMap((version) => toBelief(version) ?? []).sort((a, b) => a.from - b.from);
}

/** What was believed at a moment: known by then, and valid then. */
export function believedAt(versions: readonly TimelineVersion[], { validAt, knownAt }: Moment): Belief[] {
  return knownSpans(versions, knownAt).filter(
    ({ from, to }) => from <= validAt && (to === null || validAt < to),
  );
}

function toBelief({ memory_id: memoryId, after }: TimelineVersion): Belief | undefined {
  if (typeof after !== 'object' || after === null) return undefined;
  const state = after as Readonly<Record<string, unknown>>;
  const { content, valid_from: from, valid_to: to } = state;
  if (typeof content !== 'string' || state['deleted_at'] != null || state['archived_at'] != null)
    return undefined;
  return {
    memoryId,
    content,
    from: typeof from === 'string' ? Date.parse(from) : Number.NEGATIVE_INFINITY,
    to: typeof to === 'string' ? Date.parse(to) : null,
  };
}

export type Range = Readonly<{ start: number; end: number }>;

/** The time that the lanes show: everything that happened until now, with some room at both ends. */
export function rangeOf(versions: readonly TimelineVersion[], nowMs: number): Range {
  const times = versions.flatMap((version) => {
    const belief = toBelief(version);
    const ends = belief === undefined ? [] : [belief.from, belief.to ?? nowMs];
    return [Date.parse(version.created_at), ...ends].filter(Number.isFinite);
  });
  const start = Math.min(...times, nowMs);
  const end = Math.max(...times, nowMs);
  const room = Math.max((end - start) * 0.03, 60_000);
  return { start: start - room, end: end + room };
}

/** Where a time stands in a range: 0 to 1. */
export function placeOf(time: number, { start, end }: Range): number {
  return Math.min(1, Math.max(0, (time - start) / (end - start)));
}

/** Moments at which something changed, in order, each once: stops for the slider. */
export function changesOf(versions: readonly TimelineVersion[]): number[] {
  const times = versions.flatMap((version) => {
    const belief = toBelief(version);
    return [Date.parse(version.created_at), belief?.from, belief?.to];
  });
  return [...new Set(times.filter((time) => typeof time === 'number' && Number.isFinite(time)))].sort(
    (a, b) => (a ?? 0) - (b ?? 0),
  ) as number[];
}
