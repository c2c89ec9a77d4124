/** Longer ones are no names that somebody shortens. */
const MAX_FIRST_NAME_CHARACTERS = 20;

const CALLED = 'buddy|man|dude|bro|pal|mate|guys|girl|friend|my friend|everyone';

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

/** A name, or what short form of it somebody may be called: Mel for Melanie. */
function called(name: string): string {
  const first = (name.split(' ')[0] ?? '').slice(0, MAX_FIRST_NAME_CHARACTERS);
  const short = Array.from({ length: Math.max(0, first.length - 3) }, (_, index) =>
    first.slice(0, index + 3),
  );
  return [...short, first, name]
    .filter((form) => form !== '')
    .map((form) => escaped(form))
    .join('|');
}

/**
 * Takes the names that a sentence only calls out off it ("Thanks, Mel, I …", "…, buddy!"), which would make
 * it look as if it spoke of them. `names` are the other people of the conversation.
 */
export function withoutVocatives(sentence: string, names: readonly string[]): string {
  const forms = [CALLED, ...names.map((name) => called(name))].join('|');
  return sentence
    .replace(new RegExp(`^(?:${forms})\\s{0,4}[,!]\\s+`, 'u'), '')
    .replaceAll(new RegExp(`,\\s{1,4}(?:${forms})(?=\\s{0,4}(?:[,.!?;]|$))`, 'gu'), '');
}
