import type { Memory } from '@factmill/contracts';
import { normaliseText } from '@factmill/extraction';
import { allStated, textsOf, valueOf } from './cost-skill.ts';
import type { User } from './cost-conversations.ts';

/** The quality of a run's memories, compared with the labelled statements. */
export type Checks = Readonly<{
  /** Current memories with the same text as another one of the user. */
  duplicates: number;
  /** Statements whose value changed, and how many of them still have an old value as current. */
  changed: number;
  outdated: number;
  /** Attributes that were stated, and how many of them have their last value as current. */
  stated: number;
  current: number;
}>;

export function checkMemories(run: readonly Readonly<{ user: User; memories: readonly Memory[] }>[]): Checks {
  const sums = { duplicates: 0, changed: 0, outdated: 0, stated: 0, current: 0 };
  for (const { user, memories } of run) {
    const texts = memories.map(({ content }) => normaliseText(content));
    const held = new Set(texts);
    sums.duplicates += texts.length - held.size;
    for (const values of valuesBySubject(user).values()) {
      // With keys everywhere, an answer is the value of a key.
      const isHeld = (one: readonly string[] | undefined): boolean =>
        one?.some((text) => texts.some((own) => own.includes(text))) ?? false;
      const all = [...values.values()];
      sums.stated += 1;
      if (isHeld(all.at(-1))) sums.current += 1;
      if (all.length === 1) continue;
      sums.changed += 1;
      if (all.slice(0, -1).some(isHeld)) sums.outdated += 1;
    }
  }
  return sums;
}

/** Statement → value → texts of memories that state it; the current value comes last. */
function valuesBySubject(user: User): Map<string, Map<string, string[]>> {
  const subjects = new Map<string, Map<string, string[]>>();
  for (const { finding, subject, restates } of allStated(user)) {
    if (finding.kind === 'event') continue;
    const values = subjects.get(subject) ?? new Map<string, string[]>();
    subjects.set(subject, values);
    const value = restates ? ([...values.keys()].at(-1) ?? valueOf(finding)) : valueOf(finding);
    const texts = [...(values.get(value) ?? []), ...textsOf(finding).map((text) => normaliseText(text))];
    values.delete(value);
    values.set(value, texts);
  }
  return subjects;
}
