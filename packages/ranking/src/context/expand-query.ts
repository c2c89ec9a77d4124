/** Longer messages are specific enough (source B). */
const MAX_EXPANDED_CHARACTERS = 100;
const FIRST_PERSON = /\b(?:i|my|me|mine|am i|do i|what's my|what is my)\b/i;
/** The words that source B appends. */
const PERSONAL_ATTRIBUTES = 'height weight physical attributes user facts';

/**
 * Appends the words of stored personal facts to a short question in the first person (B7), such as "How tall am
 * I?".
 */
export function expandQuery(query: string): string {
  const text = query.trim();
  const isShortAndPersonal = text !== '' && text.length <= MAX_EXPANDED_CHARACTERS && FIRST_PERSON.test(text);
  return isShortAndPersonal ? `${text} ${PERSONAL_ATTRIBUTES}` : text;
}
