import { localDateOf } from './compression/calendar.ts';
import { estimateTokens } from './token-estimate.ts';
import type { CandidateKind, Origin, TranscriptMessage } from './types.ts';

/** The origin of a memory that was made from these messages and stated at this time. */
export function originOf(
  from: readonly TranscriptMessage[],
  { kind, statedAt, timeZone }: Readonly<{ kind: CandidateKind; statedAt: Date; timeZone: string }>,
): Origin {
  const isEvent = kind === 'event';
  return {
    channel: commonOf(from.map(({ channel }) => channel)),
    sender: commonOf(from.map(({ sender }) => sender)),
    eventDate: isEvent ? localDateOf(statedAt, timeZone) : null,
    sourceTokens: isEvent ? from.reduce((sum, { content }) => sum + estimateTokens(content), 0) : null,
  };
}

function commonOf(names: readonly (string | undefined)[]): string | null {
  const [first] = names;
  return first !== undefined && names.every((name) => name === first) ? first : null;
}
