/**
 * Chat leaves the subject out: "Went to the dentist yesterday", "Planning to move". Rows: what the clause
 * begins with, and the words that were left out.
 */
const ELIDED: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:just |recently |finally |yesterday )?(?:went|moved|started|bought|adopted|joined|finished|visited|graduated|got (?:married|engaged|divorced|promoted|hired|fired|a (?:new )?(?:job|dog|cat|car|puppy|kitten))|signed up|quit|met|learned|completed|spent|attended|volunteered|celebrated|travel+ed|retired|won)\b/i,
    'I',
  ],
  [
    /^(?:planning|going to|moving to|looking forward|saving (?:up )?for|training for|studying|learning|working (?:as|at|for|on)|living (?:in|with)|allergic to|based in|married|retired)\s/i,
    'I am',
  ],
  [/^been (?=\p{L}+ing\b|to\b|a\b)/iu, 'I have'],
];

/** Time words that may stand before the subject. */
const FRONTED =
  /^((?:yesterday|today|tonight|tomorrow|last|next|this|on|in|two|three|a few|a couple of|every|recently|lately|since|after (?:work|school|that)|for (?:the (?:past|last)|many|years|a few|\d{1,2}|two|three)|during|over|earlier|at the|before|\d{1,2} (?:years?|months?|weeks?|days?|hours?))(?: [^,\s]{1,20}){0,6}?),? (?=(?:I|we|my|our) )(.+)$/i;

export type SubjectFirst = {
  /** For the rules: the subject first, fronted times at the end, left-out subjects put in. */
  text: string;
  /** For the readable sentence: in the order it was said. */
  readable: string;
};

/** Brings a clause into the form that the rules read. */
export function withSubject(clause: string): SubjectFirst {
  const fronted = FRONTED.exec(clause);
  if (fronted !== null) {
    const [, time = '', rest = ''] = fronted;
    return { text: `${rest} ${time.charAt(0).toLowerCase()}${time.slice(1)}`, readable: `${time}, ${rest}` };
  }
  const shared = /^me and ((?:my|our) [\p{L}-]+(?: \p{Lu}[\p{L}'-]+)?) (.+)$/u.exec(clause);
  if (shared !== null) return same(`${shared[1]} and I ${shared[2]}`);
  for (const [pattern, subject] of ELIDED) {
    if (pattern.test(clause)) return same(`${subject} ${clause.charAt(0).toLowerCase()}${clause.slice(1)}`);
  }
  return same(clause);
}

function same(text: string): SubjectFirst {
  return { text, readable: text };
}
