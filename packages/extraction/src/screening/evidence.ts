import { meaningfulWords } from '../attribution.ts';
import type { Preset } from '../presets/preset.ts';
import { isShown } from '../transcript/build-transcript.ts';
import { stripInjectedPostfixes } from '../transcript/injected-postfixes.ts';
import type { TranscriptMessage } from '../types.ts';
import { attacksExtraction } from './instructions.ts';
import { namedHosts } from './links.ts';
import { hiddenText, plainForm } from './plain-form.ts';

/** The words of a conversation by speaker, for judging a model's items. */
export type Evidence = {
  /** Words of user messages, without attacks on the extraction. */
  user: ReadonlySet<string>;
  /** Words of assistant messages that the model saw, and of injected memories. */
  assistant: ReadonlySet<string>;
  /** Words of tool results that the model saw. */
  tools: ReadonlySet<string>;
  /** Words of attacks on the extraction. */
  attack: ReadonlySet<string>;
  /** Addresses in user messages, without attacks. */
  hosts: ReadonlySet<string>;
};

const SENTENCE_END = /(?<=[.!?。！？])\s+|\n+/u;

/**
 * A message before and from the first sentence that attacks the extraction: the sentences after it belong to the
 * attack.
 */
function splitAtAttack(content: string): { clean: string; attack: string } {
  const sentences = content.split(SENTENCE_END);
  const first = sentences.findIndex((sentence) => attacksExtraction(plainForm(sentence)));
  return first < 0
    ? { clean: content, attack: '' }
    : { clean: sentences.slice(0, first).join('\n'), attack: sentences.slice(first).join('\n') };
}

/** Collects the words of an extraction's messages, as far as its preset shows them to the model. */
export function collectEvidence(messages: readonly TranscriptMessage[], preset: Preset): Evidence {
  const texts = {
    user: [] as string[],
    assistant: [] as string[],
    tools: [] as string[],
    attack: [] as string[],
  };
  for (const message of messages) {
    if (!isShown(message.role, preset)) continue;
    const content = stripInjectedPostfixes(message.content);
    if (message.role === 'user') {
      const { clean, attack } = splitAtAttack(content);
      texts.user.push(message.name ?? '', clean);
      texts.attack.push(attack, hiddenText(content));
      // Injected memories do not count as said again.
      texts.assistant.push(message.content.slice(content.length));
    } else if (message.role === 'assistant') texts.assistant.push(content);
    else texts.tools.push(content);
  }
  const words = (parts: readonly string[]): Set<string> => meaningfulWords(plainForm(parts.join('\n')));
  return {
    user: words(texts.user),
    assistant: words(texts.assistant),
    tools: words(texts.tools),
    attack: words(texts.attack),
    hosts: namedHosts(texts.user.join('\n')),
  };
}

/** The share of the words that are in `there`, 0..1; 0 without words. */
export function coverage(words: ReadonlySet<string>, there: ReadonlySet<string>): number {
  let found = 0;
  for (const word of words) if (there.has(word)) found += 1;
  return words.size === 0 ? 0 : found / words.size;
}
