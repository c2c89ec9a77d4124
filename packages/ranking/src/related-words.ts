import { STOPWORDS } from './stopwords.ts';

/**
 * Words of everyday questions, and of the statements that answer them: "What is my job?" is answered by "works as a
 * nurse". A group in a line: its words stand for each other, and those behind the colon answer them only. English, in
 * any form that `stemOf` makes equal.
 */
const GROUPS = `
  job work occupation profession career employed employer company living : nurse teacher engineer developer doctor lawyer designer accountant chef driver scientist student office start-up
  boss manager supervisor lead chief
  colleague coworker teammate
  salary income earn wage paid
  live home house flat apartment address reside moved
  from origin originally native hometown : grew born come
  spouse wife husband married marriage : wedding partner
  girlfriend boyfriend partner : engaged fiancé fiancée dating
  kid child children : son daughter baby
  parent mother father mum mom dad
  sibling : brother sister twin
  pet animal : dog cat puppy kitten hamster parrot rabbit horse
  scared afraid fear frightened terrified phobia
  ill illness sick disease condition disorder : diagnosed suffers
  medicine medication drug pill tablet : takes mg prescription
  allergy allergic intolerance intolerant
  doctor physician gp : dentist surgeon clinic
  appointment checkup : visit
  injury injured hurt : broke broken sprained
  pain ache headache migraine
  diet vegetarian vegan : meat
  eat food dish meal : restaurant cuisine
  drink beverage : tea coffee beer wine
  cook bake recipe
  hobby pastime leisure : collects plays enjoys
  sport exercise workout training gym : run swim tennis football
  race marathon : run triathlon
  instrument : plays guitar piano violin drums flute cello
  music band song concert
  language : speaks english german french spanish italian portuguese japanese chinese
  team club : supports fan
  book novel read author
  movie film cinema : watched
  holiday vacation trip travel journey : flight flies visit
  car vehicle : drives
  bike bicycle cycling
  commute : bike bus train drives
  phone mobile smartphone telephone
  computer laptop
  exam test
  study learn course : university degree school
  money save savings budget
  rent landlord lease
  birthday born
  prefer favourite favorite like love
  dislike hate
  wish want dream goal plan
  buy bought purchase : ordered
  repair fix mend
  error bug failure incident crash
  deadline due
  password code pin
  smoke cigarette
  colour color
  gift present
  prepare practise : training
`;

const RELATED: ReadonlyMap<string, readonly string[]> = relatedByWord();
const MAX_RELATED = 20;

/** Words that a statement may have in place of the terms of a question; none for terms that are in no group. */
export function relatedTerms(terms: readonly string[]): string[] {
  const asked = new Set(terms.map(stemOf));
  const related = new Set(terms.flatMap((term) => RELATED.get(stemOf(term)) ?? []));
  return [...related]
    .filter((word) => !asked.has(stemOf(word)) && !STOPWORDS.has(word))
    .slice(0, MAX_RELATED);
}

function relatedByWord(): Map<string, string[]> {
  const byWord = new Map<string, string[]>();
  for (const line of GROUPS.trim().split('\n')) {
    const [words = [], answers = []] = line.split(':').map((side) => side.trim().split(' '));
    for (const word of words.map(stemOf))
      byWord.set(word, [...(byWord.get(word) ?? []), ...words, ...answers]);
  }
  return byWord;
}

/** Without the endings of plurals and verbs. */
function stemOf(word: string): string {
  const singular = word.length > 3 ? word.replace(/(?<!s)s$/, '') : word;
  const bare = singular.length > 4 ? singular.replace(/(?:ie|y)$/, 'i').replace(/(?:ing|ed)$/, '') : singular;
  return bare.replace(/e$/, '');
}
