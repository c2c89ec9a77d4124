import { visibleUnlessDisguised } from '../screening/disguises.ts';
import { screenStatement, type StatementRefusal } from '../screening/screen-statement.ts';

const SENTENCE_END = /(?<=[.!?][\s"”’)])|(?<=[。！？])/u;

/**
 * A summary without invisible characters and without sentences that bear the mark of an attack, and the reasons. A
 * summary is judged as strictly as a memory, except that it may report what the assistant did.
 *
 * @param sources all texts that the summary was made of
 */
export function screenSummary(
  summary: string,
  sources: readonly string[],
): Readonly<{ text: string; refused: readonly StatementRefusal[] }> {
  const refused: StatementRefusal[] = [];
  const keep = (text: string): boolean => {
    const refusal = screenStatement(text, sources, { assistant: true });
    if (refusal !== null) refused.push(refusal);
    return refusal === null;
  };
  const lines = summary.split('\n').map((line) => {
    const sentences = line
      .split(SENTENCE_END)
      .map((sentence) => visibleUnlessDisguised(sentence))
      .filter((sentence) => sentence.trim() === '' || keep(sentence.trim()));
    const kept = sentences.join('').trim();
    // Several sentences together may bear a mark that none bears alone.
    return sentences.length < 2 || keep(kept) ? kept : '';
  });
  const text = lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
  return { text, refused };
}
