import { FactmillError } from '@factmill/client';
import { isAppError } from '@factmill/errors';

/** What was found out about a part of an installation. `advice` is a sentence for what is not `ok`. */
export type Finding = Readonly<{
  part: string;
  state: 'ok' | 'warning' | 'failed';
  found: string;
  advice?: string;
}>;

type Look = Readonly<Omit<Finding, 'part' | 'state'>>;

export const ok = (part: string, found: string): Finding => ({ part, state: 'ok', found });
export const warning = (part: string, look: Look): Finding => ({ part, state: 'warning', ...look });
export const failed = (part: string, look: Look): Finding => ({ part, state: 'failed', ...look });

/** The findings of a look at a part. An error is one too: the messages of ours say what to do. */
export async function examine(
  part: string,
  look: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    return [failed(part, { found: sentenceOf(error) })];
  }
}

/** Without addresses, texts of others or secrets. */
function sentenceOf(error: unknown): string {
  if (isAppError(error)) return error.message;
  if (!(error instanceof FactmillError))
    return `An unexpected error (${error instanceof Error ? error.name : 'error'}).`;
  return error.kind === 'connection' ? 'It does not answer.' : error.detail;
}

/** A difference of clocks that the ages of jobs and the ends of keys and budgets suffer from. */
const MAX_CLOCK_DIFFERENCE_MS = 5_000;

/** Compares the clock of another machine with that of this one, at the middle of the question. */
export function clockFinding(
  part: string,
  theirs: number,
  asked: Readonly<{ from: number; until: number }>,
): Finding {
  const difference = theirs - (asked.from + asked.until) / 2;
  const seconds = Math.abs(difference / 1_000).toFixed(1);
  // Nothing is known more exactly than the question took.
  if (Math.abs(difference) <= MAX_CLOCK_DIFFERENCE_MS + (asked.until - asked.from) / 2) {
    return ok(part, `within ${Math.ceil(MAX_CLOCK_DIFFERENCE_MS / 1_000)} s of the clock of this machine`);
  }
  return warning(part, {
    found: `${seconds} s ${difference > 0 ? 'ahead of' : 'behind'} the clock of this machine`,
    advice: 'Let all machines follow a time server (NTP): expiry, budgets and relative dates depend on it.',
  });
}
