import { estimateTokens } from '@factmill/extraction';
import { countPromptTokens } from '@factmill/testkit';
import type { User } from './cost-conversations.ts';

export type Naive = Readonly<{ calls: number; estimated: number; counted: number }>;

/**
 * The cost of a minimal memory layer: one call per user message with the conversation so far. No other conversations,
 * no known memories, no further calls: the least it can be.
 */
export function measureNaive(users: readonly User[], instructions: string): Naive {
  const sums = { calls: 0, estimated: 0, counted: 0 };
  for (const { conversations } of users) {
    for (const { turns } of conversations) {
      const said: string[] = [];
      for (const { role, content } of turns) {
        if (content !== null) said.push(`${role}: ${content}`);
        if (role !== 'user') continue;
        const messages = [
          { role: 'system', content: instructions },
          { role: 'user', content: said.join('\n') },
        ];
        sums.calls += 1;
        sums.estimated += estimateTokens(messages.map((message) => message.content).join('\n'));
        sums.counted += countPromptTokens({ body: { messages } });
      }
    }
  }
  return sums;
}
