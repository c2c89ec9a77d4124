/** What follows a verb that has its object or its adverb; a past participle used otherwise has not. */
const BEFORE_OBJECT =
  'my|our|a|an|the|some|that|this|to|in|on|at|for|with|up|out|back|from|about|into|by|over|it|them|lots|two|three|\\d+';

const NOT_ONGOING =
  'exciting|amazing|interesting|inspiring|relaxing|exhausting|freezing|boring|tiring|touching|challenging|rewarding|refreshing|\\p{L}+-\\p{L}+ing|being|having|seeing|everything|something|nothing|anything|morning|evening|during|according';
const FINITE_VERB =
  "'s|n't|\\b(?:is|was|are|were|has|have|had|can|will|makes?|made|helps?|brings?|gives?|gave|means?|takes?|enables?|allows?|requires?|improves?|reduces?|boosts?|turns|leads|costs|works|gets|lets?|keeps?|feels?|looks?|sounds?|seems?|needs?|shows?|really|always)";

/** "Researching schools", but not the gerund that is a subject: "Running helps me". */
const ONGOING = new RegExp(
  `^(?:still |just |also |already |currently |now )?(?!(?:${NOT_ONGOING})\\b)\\p{L}{2,}ing (?!(?:and|or)\\b)(?!.*(?:${FINITE_VERB})\\b)`,
  'iu',
);

/**
 * Chat leaves the subject out: "Went to the dentist yesterday", "Planning to move". Rows: what the clause
 * begins with, and the words that were left out.
 */
const ELIDED: readonly (readonly [RegExp, string])[] = [
  [/^(?:going to|gonna) be\b/i, 'it is'],
  [
    /^(?:not |so |really |pretty |super )?(?:(?:great|nice|fun|amazing|good) (?=to\b)|(?:easy|hard|tough) (?=to\b|\p{L}+ing\b))/iu,
    'it is',
  ],
  [
    /^(?:just |recently |finally |yesterday )?(?:went|moved|started|bought|adopted|joined|finished|visited|graduated|got (?:married|engaged|divorced|promoted|hired|fired|a (?:new )?(?:job|dog|cat|car|puppy|kitten))|signed up|quit|met|learned|completed|spent|attended|volunteered|celebrated|travel+ed|retired|won)\b/i,
    'I',
  ],
  [
    /^(?:planning|going to|moving to|looking forward|saving (?:up )?for|training for|studying|learning|working (?:as|at|for|on)|living (?:in|with)|allergic to|based in|married|retired)\s/i,
    'I am',
  ],
  [/^(?:also |just |still )?need to (?=\p{L}{3})/iu, 'I'],
  [
    /^been (?=\p{L}+ing\b|to\b|(?:so |really |super |pretty )?(?:busy|ill|sick|swamped|stressed|tired|away)\b)/iu,
    'I have',
  ],
  [
    new RegExp(
      `^(?:(?:just|even|also|recently|finally|already|only) )*(?:lost|had|got|made|saw|took|found|loved|enjoyed|ate|ran|did|tried|watched|played|gave|left|passed|built|wrote|read|painted|cooked|baked|hiked|grew|learned|taught|spent|used|wanted|chose|brought|felt) (?:${BEFORE_OBJECT})\\b`,
      'i',
    ),
    'I',
  ],
  [ONGOING, 'I am'],
  [
    /^(?:excited|thrilled|stoked|inspired|thankful|grateful|proud|nervous|determined|ready) (?=to|about|for|of|by)/i,
    'I am',
  ],
  [/^(?:really |just |also )*(?:made|makes|helped|helps|reminded|reminds|gave|gives) (?=me\b|us\b)/i, 'it'],
  [/^been (?!to\b)/iu, 'it has'],
];

const UNIT =
  '(?:mon|tues|wednes|thurs|fri|satur|sun)day|fri|sat|night|morning|afternoon|evening|days?|weeks?|weekend|months?|years?|spring|summer|autumn|fall|winter|january|february|march|april|may|june|july|august|september|october|november|december';
const TIME_WORD = 'yesterday|today|tonight|tomorrow|recently|lately|nowadays|these days';

/** Times before the subject: without a comma only what is a time for certain. */
const FRONTED: readonly RegExp[] = [
  new RegExp(
    `^((?:${TIME_WORD}|(?:(?:early |late )?(?:last|this|next|on|in|every|one|the other|earlier this|just last|in early|in late) )(?:${UNIT}|\\d{4})|(?:\\S+ ){1,4}ago)) ?,? ?(?=(?:I|we|my|our) )(.+)$`,
    'i',
  ),
  /^((?:yesterday|today|tonight|tomorrow|last|next|this|on|in|two|three|a few|a couple of|every|since|after|for|during|over|earlier|at|before|\d{1,2}) [^,]{1,60}) ?, (?=(?:I|we|my|our) )(.+)$/i,
];

/** Things held up for the listener: "Here's a photo of my dog", "Check out my painting". */
const SHOWN: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:and )?(?:(?:here(?:'s| is| are)|this is|check out|take a look at|look at|have a look at)(?: this| these| some| a few| an?| the| my)? )(?:recent |old |quick |cute )?(?:pics?|photos?|pictures?|snaps?|shots?|peek|glimpse)(?: I took| we took)? (?=of|from|at|I|we)/i,
    'I shared a photo ',
  ],
  [
    /^(?:and )?(?:here(?:'s| is| are)|check out|take a look at|look at|have a look at) (?=my |our |one of my |some of my )/i,
    'I showed ',
  ],
];

export type SubjectFirst = {
  /** For the rules: the subject first, fronted times at the end, left-out subjects put in. */
  text: string;
  /** For the readable sentence: in the order it was said. */
  readable: string;
};

/** "My friend and I went" is "I went with my friend" to the rules. */
function joinedSubject(clause: string): SubjectFirst | null {
  const joined =
    /^(?:me and ((?:my|our) [\p{L}'-]+(?: [\p{L}'-]+)?)|(?!I\b|we\b)([\p{L}'-]+(?: [\p{L}'-]+){0,4}) and I) (.+)$/iu.exec(
      clause,
    );
  if (joined === null) return null;
  const [, before, after, rest = ''] = joined;
  const other = (before ?? after ?? '').replace(/^(?:Some|An?|The|My|Our|Two|Three)\b/, (word) =>
    word.toLowerCase(),
  );
  return {
    text: `I ${rest.replace(/^are\b/, 'am')} with ${other}`,
    readable: `I and ${other} ${rest}`,
  };
}

/** Brings a clause into the form that the rules read. `isShown`: things may be held up for a listener. */
export function withSubject(clause: string, isShown: boolean): SubjectFirst {
  for (const pattern of FRONTED) {
    const fronted = pattern.exec(clause);
    if (fronted === null) continue;
    const [, time = '', rest = ''] = fronted;
    const inner = joinedSubject(rest) ?? same(rest);
    return {
      text: `${inner.text} ${time.charAt(0).toLowerCase()}${time.slice(1)}`,
      readable: `${time}, ${inner.readable}`,
    };
  }
  const joined = joinedSubject(clause);
  if (joined !== null) return joined;
  for (const [pattern, subject] of SHOWN) {
    if (isShown && pattern.test(clause)) return same(clause.replace(pattern, subject));
  }
  for (const [pattern, subject] of ELIDED) {
    if (pattern.test(clause)) return same(`${subject} ${clause.charAt(0).toLowerCase()}${clause.slice(1)}`);
  }
  return same(clause);
}

function same(text: string): SubjectFirst {
  return { text, readable: text };
}
