import { languageModel } from './language.ts';

/** Past forms that do not end in -ed, each of which is past wherever people tell of themselves. */
const IRREGULAR_PAST = new Set(
  `ate became began bent bit bled blew bore bought bred broke brought built burnt came caught chose clung crept dealt
  did drank drew drove dug dyed fed fell felt fled flew forgave forgot fought found froze gave got grew ground had held
  heard hid hung kept knelt knew laid lay learnt led left lent lit lost made meant met misunderstood outgrew overcame
  paid ran rang rebuilt redid rewrote rode rose said sang sank sat saw sent sewed shook shone shot showed shrank slept
  slid sold sought spent spilt spoke spoilt spun stank stole stood struck stuck stung swam swept swore swung taught
  thought threw told took tore undertook understood underwent was went were withdrew woke won wore wove wrote
  broadcast burst cast cut hit hurt quit set shed shut split spread upset`.split(/\s+/),
);

/** Past and present look alike: past when a past date or `ago` stands beside them. */
const UNCHANGING = new Set('bet cost let put read'.split(' '));

/** End in -ed (or look like it) without being past. */
const FALSE_PAST = new Set(
  'bleed breed embed exceed feed heed need proceed seed shed speed succeed weed'.split(' '),
);

/** Forms that never agree with a subject. */
const PARTICIPLES = new Set(
  'been gone done seen given taken written known grown shown eaten driven fallen'.split(' '),
);

const MODALS = new Set(
  "will would can could may might must shall should cannot can't won't wouldn't couldn't mustn't shouldn't".split(
    ' ',
  ),
);

const IRREGULAR_PRESENT: ReadonlyMap<string, string> = new Map([
  ['am', 'is'],
  ['are', 'is'],
  ['were', 'was'],
  ["weren't", "wasn't"],
  ["aren't", "isn't"],
  ['have', 'has'],
  ["haven't", "hasn't"],
  ['do', 'does'],
  ["don't", "doesn't"],
  ['go', 'goes'],
]);

/** Whether a verb form is past tense. `pastContext`: the clause has a past date, which decides for `read`. */
export function isPastForm(verb: string, pastContext = false): boolean {
  if (IRREGULAR_PAST.has(verb.replace(/^(?:re|over|under|out)(?=\p{L}{3})/u, '')) || IRREGULAR_PAST.has(verb))
    return true;
  if (UNCHANGING.has(verb)) return pastContext;
  return verb.length > 3 && verb.endsWith('ed') && !FALSE_PAST.has(verb);
}

/** Whether a word is a participle that is no past form as well: "have been". */
export function isParticiple(word: string): boolean {
  return PARTICIPLES.has(word);
}

/** The form of a verb (as it stands after `I`) for a single third person: live → lives, am → is. */
export function toThirdPersonVerb(verb: string, pastContext = false): string {
  const irregular = IRREGULAR_PRESENT.get(verb);
  if (irregular !== undefined) return irregular;
  if (PARTICIPLES.has(verb) || (verb.endsWith('ing') && verb.length > 5)) return verb;
  if (MODALS.has(verb) || isPastForm(verb, pastContext) || verb.endsWith("n't")) return verb;
  if (/(?:s|x|z|ch|sh|o)$/.test(verb)) return `${verb}es`;
  return /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ies` : `${verb}s`;
}

/** The form of a verb after `they`: only `to be` differs from what follows `I`. */
export function toPluralVerb(verb: string): string {
  if (verb === 'am') return 'are';
  if (verb === 'was') return 'were';
  return verb === "wasn't" ? "weren't" : verb;
}

/** Whether verbs joined to this one by `and` share its present tense and need the same ending. */
export function isSimplePresent(verb: string, pastContext: boolean): boolean {
  return !MODALS.has(verb) && !isPastForm(verb, pastContext) && !verb.endsWith("n't") && verb !== 'do';
}

/** Words that may stand between a subject and its verb. */
const ADVERBS = new Set(
  'just also always never often sometimes still both all first last now already rather even almost ever soon not once then only'.split(
    ' ',
  ),
);

export function isAdverb(word: string): boolean {
  return (
    ADVERBS.has(word) ||
    (word.length > 4 && word.endsWith('ly') && !/^(?:apply|reply|rely|supply|comply|multiply)$/.test(word))
  );
}

type Conjugate = (verb: string, model: unknown) => { PastTense?: string };

/** The past form of a verb's base form: go → went. */
export function toPastVerb(verb: string): string {
  const nlp = languageModel();
  const { conjugate } = (
    nlp.methods() as unknown as { two: { transform: { verb: { conjugate: Conjugate } } } }
  ).two.transform.verb;
  return conjugate(verb.toLowerCase(), nlp.model()).PastTense ?? verb;
}
