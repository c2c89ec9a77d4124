import type { Preset } from './presets/preset.ts';
import type { RawCandidate, TranscriptMessage } from './types.ts';

/** Words that do not show where a statement comes from. */
const STOP_WORDS = new Set(
  'a an the and or but of in on at to for with from by as is are was were be been has have had do does did not no it its this that user users their them they what which who where when how'.split(
    ' ',
  ),
);

/** Scripts that put no spaces between words. */
const UNSPACED = /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]+)/u;
const ENDING = /(?<=.{3})(?:ing|ed|es|s|e)$/;

/** All pairs of neighbouring characters; a single character as it is. */
function pairsOf(run: string): string[] {
  const characters = [...run];
  return characters.length === 1
    ? characters
    : characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/**
 * The distinct content words of a text, without common endings so that forms of a word match. In scripts without
 * spaces, every pair of neighbouring characters.
 */
export function meaningfulWords(text: string): Set<string> {
  const words = new Set<string>();
  for (const [match] of text
    .normalize('NFKC')
    .toLowerCase()
    .matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    for (const part of match.split(UNSPACED)) {
      if (UNSPACED.test(part)) for (const pair of pairsOf(part)) words.add(pair);
      else if (part !== '' && !STOP_WORDS.has(part)) words.add(part.replace(ENDING, ''));
    }
  }
  return words;
}

type IndexedMessage = { message: TranscriptMessage; words: Set<string> };

/**
 * The messages of a transcript with their words, computed once per extraction: user messages, and in transcripts
 * with replies all others too, except system messages.
 */
export function indexMessages(
  messages: readonly TranscriptMessage[],
  transcript: Preset['transcript'],
): IndexedMessage[] {
  return messages
    .filter(({ role }) =>
      transcript === 'user-only' ? role === 'user' : role !== 'system' && role !== 'developer',
    )
    .toSorted((a, b) => a.seq - b.seq)
    .map((message) => ({ message, words: meaningfulWords(message.content) }));
}

function overlap(words: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of words) if (other.has(word)) shared += 1;
  return shared;
}

/**
 * The messages that an item comes from, in conversation order: those it names, else those that share the most words
 * with it, else all of the user's. Words of its statement (value, answer) count before words of its name (key,
 * question). User messages count first: an item comes from replies only when it is found in replies alone. Empty
 * only without messages.
 */
export function attribute(item: RawCandidate, indexed: readonly IndexedMessage[]): TranscriptMessage[] {
  const named = indexed.filter(({ message }) => item.messageIds.includes(message.id));
  if (named.length > 0) return named.map(({ message }) => message);
  const stated = meaningfulWords(
    [item.value, item.answer, item.sourceContext, item.content].filter(Boolean).join(' '),
  );
  const naming = meaningfulWords([item.key, item.question].filter(Boolean).join(' ').replaceAll('_', ' '));
  const scores = indexed.map(({ words }) => overlap(stated, words) * 4 + overlap(naming, words));
  const best = Math.max(0, ...scores);
  const sources = indexed.filter((_, index) => best === 0 || scores[index] === best);
  const said = sources.filter(({ message }) => message.role === 'user');
  return (said.length > 0 ? said : sources).map(({ message }) => message);
}
