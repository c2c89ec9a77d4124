import type { Prompt } from '../prompt.ts';
import { fillPlaceholders, promptVersionOf } from '../prompt-template.ts';
import type { PlanStep } from './compression-plan.ts';
import type { Compressible } from './compressible.ts';
import { compressionTemplates } from './templates.ts';

/** The values that these templates may ask for. */
export const COMPRESSION_PLACEHOLDERS = ['MEMORIES', 'PROFILE'] as const;

/**
 * The chat messages that ask a step's question. Memories that are no longer what the plan saw are left out; the
 * others keep their numbers. Null when there are none.
 */
export function buildCompressionPrompt(
  step: PlanStep,
  current: ReadonlyMap<string, Compressible>,
): Prompt | null {
  const lines = step.sources.flatMap(({ id, hash }, index) => {
    const memory = current.get(id);
    return memory === undefined || memory.contentHash !== hash
      ? []
      : [{ inProfile: index < step.lines, text: toLine(index + 1, memory) }];
  });
  if (lines.length === 0) return null;
  const join = (chosen: typeof lines): string => chosen.map(({ text }) => text).join('\n') || '(none)';
  const template = compressionTemplates[step.template];
  const values: Record<(typeof COMPRESSION_PLACEHOLDERS)[number], string> = {
    MEMORIES: join(lines.filter(({ inProfile }) => !inProfile)),
    PROFILE: join(lines.filter(({ inProfile }) => inProfile)),
  };
  return {
    messages: [
      { role: 'system', content: template.system },
      { role: 'user', content: fillPlaceholders(template.user, values) },
    ],
    promptVersion: promptVersionOf(template),
  };
}

/** One line each, dated; its text cannot close the block that it stands in. */
function toLine(number: number, memory: Compressible): string {
  const text = memory.content
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/<(?=[\s/]{0,8}memories\b)/gi, '&lt;')
    .trim();
  return `${number}. (${memory.statedAt.toISOString().slice(0, 10)}) ${text}`;
}
