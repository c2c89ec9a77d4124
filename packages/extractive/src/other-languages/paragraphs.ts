import { toProse } from '../clean-text.ts';
import type { Language } from './language.ts';

/** Sentences of a message's prose by paragraph (line), in order. */
export function toParagraphsIn({ code }: Language, content: string): string[][] {
  const segmenter = new Intl.Segmenter(code, { granularity: 'sentence' });
  return toProse(content)
    .split('\n')
    .map((line) => Array.from(segmenter.segment(line), ({ segment }) => segment.trim()).filter(Boolean));
}
