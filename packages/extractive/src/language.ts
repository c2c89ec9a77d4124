import { createRequire } from 'node:module';
import type nlp from 'compromise/two';
import type { parse } from 'chrono-node/en';

/**
 * The language libraries, loaded when the first message is read: together they take about 60 MB, which a
 * process that only needs the rest of this package must not pay. Their bundled CommonJS builds load several
 * times faster than their module trees.
 */
const load = createRequire(import.meta.url);

let loadedNlp: typeof nlp | undefined;
let loadedParse: typeof parse | undefined;

/** Sentences and parts of speech. */
export function languageModel(): typeof nlp {
  loadedNlp ??= load('compromise/two') as typeof nlp;
  return loadedNlp;
}

/** Reads dates in English text. */
export function dateParser(): typeof parse {
  loadedParse ??= (load('chrono-node/en') as { parse: typeof parse }).parse;
  return loadedParse;
}
