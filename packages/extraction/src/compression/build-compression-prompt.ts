import type { Prompt } from '../prompts/build-prompt.ts';
import { fillTemplate, type Prompts } from '../prompts/template.ts';
import type { PlanStep } from './compression-plan.ts';
import type { Compressible } from './compressible.ts';

/**
 * The chat messages of a step's question. Memories that changed since the plan are left out; the others keep their
 * numbers. Null when none is left.
 */
export function buildCompressionPrompt(
  prompts: Prompts,
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
  const template = prompts[step.template];
  const messages = fillTemplate(template, {
    MEMORIES: join(lines.filter(({ inProfile }) => !inProfile)),
    PROFILE: join(lines.filter(({ inProfile }) => inProfile)),
  });
  return { messages, promptVersion: template.version };
}

/** One dated line per memory. */
function toLine(number: number, memory: Compressible): string {
  const text = memory.content.replaceAll(/\s+/g, ' ').trim();
  return `${number}. (${memory.statedAt.toISOString().slice(0, 10)}) ${text}`;
}
