import { languageModel } from './language.ts';
import { mentionedIn } from './mentioned.ts';
import { isErrand } from './own-words.ts';
import { WORD_LISTS } from './word-lists.ts';

/** A part of a sentence that can state something by itself, normalised for the rules. */
export type Clause = {
  text: string;
  isQuestion: boolean;
};

/** Longer clauses are not statements about a person, and are not worth the time. */
const MAX_CLAUSE_CHARACTERS = 400;

const CONTRACTIONS: readonly (readonly [RegExp, string])[] = [
  [/\b[Ii]'?m\b(?!')/g, 'I am'],
  [/\b[Ii]'?ve\b/g, 'I have'],
  [/\b[Ii]'ll\b/g, 'I will'],
  [/\b[Ii]'d\b/g, 'I would'],
  [/\b([Ww])e're\b/g, '$1e are'],
  [/\b([Ww])e've\b/g, '$1e have'],
  [/\b([Ww])e'll\b/g, '$1e will'],
  [/\b([Ww])e'd\b/g, '$1e would'],
  [/\b([Yy])ou're\b/g, '$1ou are'],
  [/\b([Yy])ou've\b/g, '$1ou have'],
  [/\b([Yy])ou'll\b/g, '$1ou will'],
  [/\b([Yy])ou'd\b/g, '$1ou would'],
  [/\b([Yy])'all\b/g, '$1ou'],
  [/\b([Ww]e(?: are| were| have)?) (?:both|all)\b/g, '$1'],
  [/\b([Tt]omorrow|[Tt]oday|[Tt]onight)'s (?=going|gonna|been|the|an?\b)/g, '$1 is '],
  [/\b([Ww]hat|[Hh]ow|[Ww]here|[Ww]hy)'ve\b/g, '$1 have'],
  [/\b([Ww]e are )(vegetarian|vegan|pescatarian)s\b/g, '$1$2'],
  [/, (?:you|ya|y') ?know,(?= )/g, ','],
  // What everybody shares is not the speaker's.
  [
    /\b[Oo]ur (?=(?:nation|society|world|planet|veterans|troops|soldiers|heroes|service members|military|future generations)\b)/g,
    'the ',
  ],
  [/(?<!\p{L})'?(?:cause|cuz|cos)\b(?= (?:I|it|my|we|they|he|she|the|there|of)\b)/gu, 'because'],
  [/(?<!\p{L})'em\b/gu, 'them'],
  [/\bme-time\b/g, 'time to myself'],
  [/\b(can|could|to|just) be me\b/g, '$1 be myself'],
  [/\b([Ww]hat|[Ww]ho|[Hh]ow|[Ww]here)'s (?=been|gone|got|happened|changed)/g, '$1 has '],
  [/\b([Ww]hat|[Ww]ho|[Hh]ow|[Ww]here|[Ww]hen)'s\b/g, '$1 is'],
  [/\b(brings?|brought|bringing|keeps?) us (?:all )?(?=closer|together)/g, '$1 people '],
  [/\b([Ww]hat|[Ww]ho|[Hh]ow|[Ww]here|[Ww]hen)'re\b/g, '$1 are'],
  [/\b([Ww]hat|[Ww]ho|[Hh]ow|[Ww]here|[Ww]hen)'d (?=you|they|he|she|it)/g, '$1 did '],
  [/\b([Ss]h|[Hh])(e)s (?=\S)/g, "$1$2's "],
  [/\b((?:[Mm]y|[Oo]ur) [a-z-]+[a-rt-z])s (name|birthday|job) (?=is\b)/g, "$1's $2 "],
  // "It's our tenth anniversary next month", "what I want is to become a pilot": said the other way round.
  [
    /^[Ii]t(?:'s| is| was) ((?:my|our) (?:[\p{L}'’-]{1,20} ){0,3}(?:birthday|anniversary|wedding|graduation|first day|last day|due date|funeral)) (?=\S)/gu,
    '$1 is ',
  ],
  [/^[Ww]hat (I|we) (?:really |truly )?(want|would like) (?:most |really )?is to /g, '$1 $2 to '],
  // "My son Francis, he's 21": said twice.
  [
    /(?<=^(?:\p{L}{1,20},? )?)([Mm]y (?:[\p{Ll}-]{1,20} ){0,2}[\p{L}-]{1,30}(?: \p{Lu}[\p{L}'-]{1,30})?), (?:he|she|they|it)(?:'s| is|'re| are)\b/gu,
    '$1 is',
  ],
  // "A party for my son Francis, he's 21": tells two things.
  [
    /(?<=\p{L} )((?:my|our) (?:[\p{Ll}-]{1,20} ){0,2}[\p{L}-]{1,30}(?: \p{Lu}[\p{L}'-]{1,30})?), (?:he|she)(?:'s| is)\b/gu,
    '$1; $1 is',
  ],
  [/^The kids (?=(?:are|have|love|like|hate|go|don't|can't|both|always|never)\b)/g, 'my kids '],
  [/^Both (?:of )?(?=(?:my|our) \p{Ll}+s )/gu, ''],
  // "I changed my mind: I prefer the window."
  [/(?<=^(?:\p{L}{1,20},? )?I (?:\p{L}{1,20} ){1,5}\p{L}{1,20}):(?= (?:I|we|my|our)\b)/gu, ';'],
  [/\bdont\b/g, "don't"],
  [/\bdoesnt\b/g, "doesn't"],
  [/\bgonna\b/gi, 'going to'],
  [/\bwanna\b/gi, 'want to'],
  [/\bgotta\b/gi, 'have to'],
  [/(^|[\s,;(])i(?=[\s,;)]|$)/g, '$1I'],
  [/\b(I|[Ww]e) (?:am|have) got\b(?! (?:engaged|married|divorced|separated)\b)/g, '$1 have'],
];

/** Words before the statement that carry nothing: greetings, interjections, a name called, connectives. */
const OPENERS: readonly RegExp[] = [
  /^(?:in the meantime|meanwhile|since (?:(?:we|I) (?:last )?(?:talked|spoke|chatted|caught up)(?: last)?|(?:our|the) last (?:chat|talk|conversation|call)))\s{0,4},?\s{1,4}/i,
  /^(?:especially|even|just|only)\s{1,4}(?=(?:after|since|when|because)\s)/i,
  /^speaking of (?:which|that),\s{1,4}/i,
  /^(?:one (?:more|other|last) thing|another thing|side note|(?:here(?:'s| is) )?(?:for |some |a bit of |my |quick )?(?:context|background|info)|(?:a )?quick question(?: (?:about|on|for) [^:,.?]{1,60})?)\s{0,4}[:–—-]\s{1,4}/i,
  /^(?:good|great|bad|sad|big|quick) (?:news|update)\s{0,4}[:!-]\s{1,4}/i,
  /^(?:hi|hey|hello|yo|hiya|dear|good (?:morning|afternoon|evening))(?: there| all| everyone| again)?(?: my)?(?: AI)?(?: \p{L}[\p{L}'-]{1,30})?\s*[,!.:-]+\s*/iu,
  /^(?:hi|hey|hello|hiya)(?: there| again)?(?: \p{Lu}\p{L}+)?\s+(?=I |my |we |I'm)/iu,
  /^(?:and |but |oh )?(?:thanks|thank you|thx|congrats|great|awesome|cool|nice|sweet|wow|whoa|oh|ah|aww?|(?:ha|hah|heh|he|ah|haha)(?:,? (?:ha|heh|he|haha))*|lol|woah|omg|oops|oof|woohoo|ugh|yay|phew|yes|yeah|yep|yup|no|nope|nah|ok|okay|sure|right|exactly|absolutely|definitely|totally|agreed|true|indeed|of course|well|so|hmm|um|uh|anyway|anyways|actually|honestly|basically|personally|luckily|unfortunately|sadly|fortunately|btw|fyi|by the way|also|plus|besides|oh yes|in fact|to be honest|lately|as for me|for me|as you know|sorry|please|guess what)(?: (?:so much|a lot|again|man|dude))?(?:,? \p{Lu}[\p{L}'-]+)?\s*[,!.:–—-]+\s*/iu,
  /^(?:edit|correction|update|ps)\s?:\s{1,4}/i,
  /^(?:fyi|btw|by the way|just fyi)\s{1,4}(?=(?:I|my|we|our)\b)/i,
  /^\p{Lu}[\p{L}'-]+[,!]\s+(?=(?:I|my|My|we|We|our|Our)\b)/u,
  /^(?:and|but|so|because|well|oh|yeah|yes|also|plus|actually|honestly|then|basically|as|though|although|that)\s+(?=(?:I|my|My|we|We|our|Our)\b)/i,
  /^(?:and|but|so|oh|yeah|btw),?\s+(?=also|by the way|recently|last|yesterday|today)/i,
  /^(?:please |also |just )?(?:remember|note|keep in mind|bear in mind|be aware|for (?:your )?(?:information|context|reference|the record)|just so you know|you should know|a bit about me|about me|quick intro|fun fact)(?:\s?,|:)?(?: that)?[:,]?\s+(?=(?:I|my|My|we|We|our|Our)\b)/i,
  /^(?:I )?(?:just |also |really )?(?:wanted|want|have|would like|need) to (?:let you know|tell you|share|say|mention|add|point out)(?: with you)?(?: that)?[:,]?\s+(?=(?:I|my|we|our)\b)/i,
  /^(?:I am )?(?:so |really |super )?(?:excited|happy|glad|thrilled|proud) to (?:tell you|let you know|share|say|announce)(?: that)?[:,]?\s+(?=(?:I|my|we|our)\b)/i,
  /^I (?:should|must|have to|can) (?:also )?(?:mention|add|say|tell you)(?: that)?\s+(?=(?:I|my|we|our)\b)/,
  /^(?:did I (?:tell you|mention)|did you know|you know|I told you|I already told you|as I said|like I said)(?: that)?,?\s+(?=(?:I|my|we|our)\b)/i,
];

const TRAILERS: readonly RegExp[] = [
  /,?\s{1,4}since (?:(?:we|I) (?:last )?(?:talked|spoke|chatted|caught up)|our last (?:chat|talk|conversation|call))[\s.!?]{0,20}$/i,
  /(?<=\b(?:in|at|as|for) (?:an? |the )?\S{2,40}(?: \S{2,40})?) (?:right )?now[\s.!?]{0,20}$/i,
  /,?\s{1,4}(?:just )?(?:take a look|check it out|check them out|have a look|see|huh|eh)[\s.!?]{0,20}$/i,
  /(?:,\s{0,4}right|[\s,]{1,4}(?:you know|ya know|y'know|lol|haha|though|too|as well|thanks|thank you|please|btw|by the way|I guess|I think|to be honest|tbh|actually))[\s.!?]{0,20}$/i,
  /(?<![\s.!?,;:–—-])[\s.!?,;:–—-]+$/,
];

/** A verb that `and` can join to a first-person statement, so that each states something of its own. */
const JOINED =
  'am|work|live|study|have|own|speak|love|like|hate|prefer|play|enjoy|teach|run|drive|use|moved|started|got|bought|adopted';

const JOINTS = new RegExp(
  `,?\\s{1,4}(?:and|but)\\s{1,4}(?=(?:${JOINED})\\s)|,\\s{1,4}(?=(?:work|live|study|teach|speak) (?:as|in|at|for|on|with|near|\\p{Lu}))`,
  'u',
);

const BOUNDARIES: readonly RegExp[] = [
  /\s{0,4};\s{0,4}|\s{0,4}(?:\s[–—-]{1,4}|[–—]|-)\s{1,4}(?=(?:I|my|we|our|it|they|he|she|the|this|that|there|you|your|can|could|what|how|got|any|did|have|is|are|do|would|should|where|which|who|why|here)(?:'|\b))/i,
  // Not inside of a double subject: "my brother Tom and I went".
  /(?<!(?:^|,\s)(?:me|my [\p{L}-]{1,40}|our [\p{L}-]{1,40})(?: \p{Lu}[\p{L}'-]{1,40})?)(?<!\b(?:that|ensure|if|whether|how|where|when|because|since|what|while|why) \p{Lu}[\p{L}'-]{1,40}),?\s{1,4}(?:and|but|so|plus|because|which is why)\s{1,4}(?=(?:I|we)\s)/u,
  /,?\s{1,4}(?:and|but|so)\s{1,4}(?=(?:she|he)(?:'s|\s))/,
  // Before `my` only where a verb shows that a new statement begins: "and my passion for it" goes on.
  /(?<!^(?:my|our) [\p{L}-]{1,40}(?: \p{Lu}[\p{L}'-]{1,40})?),?\s{1,4}(?:and|but|so|plus)\s{1,4}(?=(?:my|our)\s(?:[\p{L}'-]+\s){1,3}(?:is|are|was|were|has|have|had|loves?|likes?|works?|lives?|moved|got|went|wants?|does|doesn't|don't|turned|turns|plays?|goes|gave|went|dropped|rose|fell|needs?|keeps?|says|said|told|uses?|starts?|ends?)\s)/u,
  // A comma after a blank belongs to a fronted time.
  /(?<! )(?<!(?:^|[,;]\s|\b(?:but|and|so|that|sure|know|think|because|especially|even|only)\s)(?:when|whenever|if|since|as|while|after|before|by|once|although|though|until|with|from|for|in|on|at|during|without|instead|despite|thanks|[a-z]{3,}ing)\s[^,]{1,80}),\s+(?=(?:I|we)\s|(?:my|our)(?:\s[^\s,]+){3})/i,
  /(?<=^(?:I|we) (?:am|are|have|own|need) [^,]{1,80}),\s+so\s+(?=[^,]{1,40}\b(?:should|must|needs? to|has to|have to|better)\b)/i,
  /,\s+(?=of course\b)/i,
  // "My car is a diesel, is AdBlue needed?"
  /(?<=^(?:I|we|my|our)\b[^?]{3,200}),\s+(?=(?:is|are|does|do|did|can|could|will|would|should|has|have|am)\s[^,?]{2,120}\?\s*$)/i,
  // "My mom, who lives in Dayton": asks only where it runs to a question mark.
  /,\s+(?:and |but |so )?(?=(?:where|which|who|whose)\b[^,?]*\?\s*$)/i,
  /,\s+(?:and |but |so )?(?=(?:can|could|would|will|what|how|do|does|did|(?:don't|do not|never) (?:use|include|suggest|recommend|give|tell|ask|make|put|add|mention|show|write|send|call|forget)|is there|are there|(?:is|was) (?:that|this|it)|should I|any|please|let me|help|tell|give|show|keep|make|avoid|suggest|recommend|remember|(?:swap|find|skip|replace|pick|choose|plan|use|explain|remind|adjust|change|leave|add|set|book|search|look) (?:me|us|it|them|something|some|this|that|these|those|out|for)|here(?:'s| is| are))\b)/i,
  /\s{1,4}(?:and|but|so)\s{1,4}(?=(?:(?:can|could|would|will) you|how (?:can|do|does|should|would|to)|what (?:are|is|should|can|do|would)|should I|is there|are there|any (?:tips|advice|ideas)|please)\b)/i,
  /\s{1,4}so\s{1,4}(?=(?:be|help|keep|make|give|avoid|suggest|recommend|use|don't)\s)/i,
];

/** "Yesterday, I went": the comma must not part the time from the statement, and is marked by a blank. */
const FRONTED_COMMA =
  /^((?:yesterday|today|tonight|tomorrow|last|next|this|on|in|two|three|a few|a couple of|every|recently|lately|since|after|for|during|over|earlier|at|before|\d{1,2} (?:years?|months?|weeks?|days?|hours?))(?: [^,\s]{1,20}){0,5}), (?=(?:I|we|my|our) )/i;

/** Begins a sentence about what is not so. */
const SUPPOSES =
  /^(?:if|unless|suppose|supposing|imagine|assuming|pretend|say|let's say|what if|hypothetically|for the sake of argument|as (?:a thought experiment|an example|an exercise)|in (?:this|the following) (?:scenario|exercise|example|role-?play))\b/i;

/** "As a vegetarian, what can I eat?" says what the user is. */
const ROLE = new RegExp(
  `^(?:As|Being) (?<role>an? (?:[\\p{Ll}-]{1,20} ){0,2}?(?:${WORD_LISTS['diet']}|${WORD_LISTS['occupation']}|student|diabetic|beginner|parent|mother|father|mom|mum|dad|widow|widower|immigrant|expat|renter|homeowner|retiree|teetotall?er|atheist|muslim|christian|jew|hindu|buddhist)s?\\b[^,]{0,80}), (?!(?:how|what|which|why|where) would you\\b|you\\b)(?=\\p{L})`,
  'iu',
);

/** "Mum turns 70" is said of the speaker's. */
const OWN_FAMILY =
  /(?<=(?:^|[.;] |\b(?:and|but|so|because|that|with|for|to|told|asked) ))(?:Mum|Mom|Dad|Grandma|Grandpa|Granny)(?='s \p{Ll}| (?!and I\b)\p{Ll})/gu;

/** Contractions, and words for the speaker's own, written out. */
export function expand(text: string): string {
  let expanded = text.replaceAll(OWN_FAMILY, (word) => `my ${word.toLowerCase()}`);
  for (const [pattern, replacement] of CONTRACTIONS) expanded = expanded.replaceAll(pattern, replacement);
  return expanded;
}

function strip(text: string, patterns: readonly RegExp[]): string {
  let stripped = text;
  // A few rounds: "Hey! Thanks, and yes, I …"
  for (let round = 0; round < 5; round += 1) {
    const before = stripped;
    for (const pattern of patterns) stripped = stripped.replace(pattern, '');
    if (stripped === before) break;
  }
  return stripped;
}

/** Lower-cases the words that rules look for when they only are capitals because a clause starts there. */
function normaliseStart(text: string): string {
  return text.replace(/^(?:My|Our|We|Me)\b/, (word) => word.toLowerCase());
}

/** Splits, but leaves "two colleagues of mine and I rowed" whole: what has no verb is a subject. */
function splitAt(text: string, boundary: RegExp): string[] {
  const parts = text.split(boundary);
  const [first = '', second = ''] = parts;
  const isSubject = parts.length > 1 && /^I\b/.test(second) && first.split(' ').length < 6 && !hasVerb(first);
  if (!isSubject || !text.startsWith(`${first} and `)) return parts;
  return [`${first} and ${second}`, ...parts.slice(2)];
}

function hasVerb(text: string): boolean {
  return /^(?:I|we)\b/i.test(text) || languageModel()(text).has('#Verb');
}

/** What is so, told as the reason of a question: "How do I …, considering I use …?", not "… when I flip a coin?" */
const GIVEN =
  /,?\s{1,4}(?:(?:especially |particularly )?(?:considering|given|since|because|now)(?: that| the fact that)?|seeing (?:that|as)|as|when(?= (?:I|we|my|our) (?:am|are|was|were|have|had|live|work|own|use|only|already|still|always|usually|never|don't|can't|cannot)\b))\s{1,4}(?=(?:I|we|my|our)\s)/i;
/** Ends inside of a supposition, which the next clause goes on with: "like if I have a deck and I draw an ace". */
const SUPPOSING =
  /(?:^|[,;(] ?|\b(?:like|say|what|even|only|maybe) )(?:if|suppose|supposing|imagine|assuming|let's say)\s[^,;]{1,200}$/i;
const ASKS =
  /^(?:(?:and|but|so|or|hmm|also|please|then),? )*(?:can|could|would|will|what(?:'s)?|how(?:'s)?|where|which|who|why|do|does|did|is|are|was|should|any|help|tell|give|show|suggest|recommend)\b/i;

/** "Help me plan meals: I am lactose intolerant" */
const REQUEST_AND_FACTS =
  /(?<=^(?:(?:please|also|and|so),? )?(?![^:]{0,120}\b(?:sentences?|pronounce|say|synonyms?|words?|phrases?|dialogues?|spell|correct|translate|rewrite|mean)\b)(?:help|plan|suggest|recommend|give|find|make|create|design|build|can you|could you|what|which|how|where|any)\b[^:;.!?]{3,120}):\s{1,4}(?=(?:I|we|my|our)\s)/i;

/** The clauses of a part that asks something: the question, and what it gives as its reason. */
function splitGiven(part: string): string[] {
  const [request = part, ...facts] = part.split(REQUEST_AND_FACTS);
  return [...(ASKS.test(request) ? request.split(GIVEN) : [request]), ...facts];
}

function splitAll(sentence: string): string[] {
  let parts = [sentence];
  for (const boundary of BOUNDARIES) parts = parts.flatMap((part) => splitAt(part, boundary));
  return parts.flatMap((part) => splitGiven(part.trim())).flatMap((part) => splitJoined(part.trim()));
}

/** "I live in Rome and work as a baker" → "I live in Rome", "I work as a baker". */
function splitJoined(clause: string): string[] {
  if (!/^(?:I|we) /.test(clause) || /\b(?:to|can|cannot|will|don't|not|never|who|which|that)\b/.test(clause))
    return [clause];
  const subject = clause.slice(0, clause.indexOf(' '));
  const [first = clause, ...rest] = clause.split(JOINTS);
  if (rest.length === 0 || first.split(' ').length < 3) return [clause];
  return [first, ...rest.map((part) => `${subject} ${part}`)];
}

/** Whether a part goes on with what the part before it supposes. */
function isSupposed(parts: readonly string[], index: number): boolean {
  return SUPPOSING.test(parts[index - 1] ?? '') && /^(?:I|we)\s/.test(parts[index] ?? '');
}

/** Whether a part is the reason of the question before it, not the question. */
function isGiven(parts: readonly string[], index: number): boolean {
  return ASKS.test(parts[index - 1] ?? '') && /^(?:I|we|my|our)\b/i.test(parts[index] ?? '');
}

/** What requests and questions mention beside what they ask for. */
function mentionedBy(parts: readonly string[]): Clause[] {
  return parts
    .filter((part) => ASKS.test(part) || isErrand(part))
    .flatMap((part) => mentionedIn(part))
    .map((text) => ({ text, isQuestion: false }));
}

/**
 * The clauses of a sentence that could state something, greetings and fillers taken off. Empty when the
 * whole sentence is a supposition. Only the last clause of a question is the question.
 */
export function toClauses(sentence: string): Clause[] {
  if (sentence.length > MAX_CLAUSE_CHARACTERS * 3) return [];
  const expanded = expand(sentence).replace(FRONTED_COMMA, '$1 , ');
  const start = normaliseStart(strip(expanded, OPENERS)).replace(FRONTED_COMMA, '$1 , ');
  if (/^(?:would|could|should)\b/i.test(start)) return mentionedBy([start]);
  if (SUPPOSES.test(start)) {
    return [];
  }
  const given = ROLE.exec(start);
  const said = start.slice(given?.[0].length ?? 0);
  const all = [
    ...(given === null ? [] : [`I am ${given.groups?.['role']}`]),
    ...splitAll(normaliseStart(said)),
  ].filter((part) => part !== '');
  const parts = all.filter((_, index) => !isSupposed(all, index));
  const clauses = parts
    .map((part, index) => ({
      text: normaliseStart(strip(strip(part, TRAILERS), OPENERS)).trim(),
      isQuestion: index === parts.length - 1 && /\?\s*$/.test(sentence) && !isGiven(parts, index),
    }))
    .filter((clause) => clause.text.length > 3 && clause.text.length <= MAX_CLAUSE_CHARACTERS);
  return [...clauses, ...mentionedBy(parts)];
}
