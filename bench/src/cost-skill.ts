import { normaliseText } from '@factmill/extraction';
import type { Finding, Skill } from '@factmill/testkit';
import type { Stated, User } from './cost-conversations.ts';

/** The texts in which a memory can state something. */
export function textsOf(finding: Finding): string[] {
  if (finding.kind !== 'answer') return [finding.content];
  return [finding.content, `Q: ${finding.question} A: ${finding.content}`];
}

export function allStated({ conversations }: User): Stated[] {
  return conversations.flatMap(({ turns }) => turns.flatMap(({ stated }) => stated));
}

export function valueOf(finding: Finding): string {
  return normaliseText(finding.kind === 'attribute' ? finding.value : finding.content);
}

/** A model that answers with the labelled statements, and knows which of them have the same subject. */
export function createCostSkill(users: readonly User[]): Skill {
  const byTurn = new Map<string, readonly Finding[]>();
  const byText = new Map<string, Stated>();
  for (const user of users) {
    for (const { turns } of user.conversations) {
      for (const { content, stated } of turns) {
        if (content !== null && stated.length > 0)
          byTurn.set(
            content,
            stated.map(({ finding }) => finding),
          );
      }
    }
    for (const stated of allStated(user))
      for (const text of textsOf(stated.finding)) byText.set(normaliseText(text), stated);
  }
  return {
    find: (conversation) =>
      conversation
        .split('\n')
        .flatMap((line) => byTurn.get(/^User(?: \(.*?\))?: (.*)$/.exec(line)?.[1] ?? '') ?? []),
    judge(memory, fact) {
      if (normaliseText(memory) === normaliseText(fact)) return 'same';
      const [known, fresh] = [byText.get(normaliseText(memory)), byText.get(normaliseText(fact))];
      if (known === undefined || fresh === undefined || known.subject !== fresh.subject) return 'other';
      const isSame = known.restates || fresh.restates || valueOf(known.finding) === valueOf(fresh.finding);
      return isSame ? 'same' : 'replaces';
    },
  };
}
