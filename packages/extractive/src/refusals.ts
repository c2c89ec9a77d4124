import { QUOTATION } from './clean-text.ts';
import { WORD_LISTS } from './word-lists.ts';

type Refusals = readonly (readonly [string, RegExp])[];

/** Never stored, and neither is the answer to a question about it. */
const SECRET =
  /\b(?:passwords?|passcode|passphrase|pin(?: code)?|api[ -]?key|access[ -]?key|secret|token|credentials?|credit card(?! (?:debts?|bills?|balance|payments?|points|companies|company|interest))|card number|cvv|iban|ssn|social security)\b/i;

/** Code, formulas and addresses. */
export const MARKUP = /[{}=\\|^]|[$<>~](?! ?\d)|https?:|www\.|\S@\S|\S::\S/;

/** Clauses that no memory is made of, whatever else they match; the first row that matches names why. */
const REFUSALS: Refusals = [
  ['quotation', new RegExp(QUOTATION)],
  ['markup', MARKUP],
  ['secret', SECRET],
  [
    'request',
    /^(?:please |then |now |also |just )*(?:remind|write|tell|give|show|help|make|summari[sz]e|translate|explain|list|find|suggest|recommend|create|generate|fix|add|remove|change|send|draft|compare|describe|convert|rewrite|answer|note|remember|pretend|act|imagine) (?:me|us|it|this|that|these|them|the|an?|my|our|some|all|sure|how|what|why|whether|about|as)\b/i,
  ],
  [
    'question',
    /^(?:do|does|did|can|could|will|should|would(?! (?:love|like)\b)|is|are|am|have|has|may|shall|what|why|how|who|whose|which|where|when(?= (?:is|are|do|does|did|can|could|will|should|was|were|has|have)\b)|(?:was|were)(?= (?:it|that|this|there|he|she|they|you|the|my|our|I|we)\b))\b/i,
  ],
  [
    'talk',
    /\b(?:talk(?:ing)? to (?:ya|soon|later)|see ya|catch up (?:soon|later)|take care|keep (?:it up|in touch)|good (?:luck|night|job)|no worries|no problem|means? a lot|can't wait to (?:see|hear) (?:ya|it|that)|sounds? (?:good|great|fun)|of course)\b/i,
  ],
];

/** "I would rather not fly" is a lasting preference, no supposition. */
const RATHER = WORD_LISTS['rather'];

/** Roles in a role play, and the objects of exercises. */
const PLAY: Refusals = [
  [
    'role',
    /^(?:I am|we are) (?:an?|the|your) (?:customer|client|guest|caller|interviewe[er]|passenger)s?(?=$|[,.;]| (?:who|that|and|calling|looking|asking|trying)\b)/i,
  ],
  [
    'exercise',
    /^(?:I|we) (?:flip|toss|roll|draw|throw)s? (?:an?|two|three|four|five|ten|\d+) (?:fair )?(?:coins?|dice|die|cards?|balls?)\b|\bthinking of a number\b|^(?:I|we) (?:have|get|am given|are given) (?:an?|two|three|four|\d+|some|the following) (?:[\p{L}-]{1,20} ){0,2}(?:arrays?|lists? of|strings?|dictionar(?:y|ies)|matri(?:x|ces)|data ?frames?|datasets?|csv|json|functions?|variables?|columns?|vectors?|tuples?|triangles?|rectangles?|circles?|equations?|polynomials?|4\d\d|5\d\d)\b|\bat \d+ mph\b/iu,
  ],
];

/** About what machines do, rather than about whoever uses them. */
const MACHINE: Refusals = [
  [
    'machine',
    /\b(?:errors?|exceptions?|stack ?trace|traceback|bugs?|compile[sd]?|build fail\w*|unit tests?|regex|syntax|null pointer|undefined|segfault|localhost|log files?|sql query|api calls?|endpoint|pull request|merge conflict|chatbot|language model)\b/i,
  ],
];

/** What is said to a listener who is not known by name. */
const ADDRESSED: Refusals = [['second person', /\b(?:you|your|yours|yourself|ur|y'all|u)\b/i]];

/** What comes next in a task: "I'll start with the first one". */
export const NEXT_STEP =
  /^(?:I|we) (?:will|am going to|are going to|have to|need to|should|can)(?: [a-z]+ly| also| just| first| now)* [a-z]+(?: [a-z]+){0,2} the (?:first|second|next|last|other|same) (?:one|step|option|example|problem|approach)(?: [a-z]+){0,3}$/;

/** Of what the assistant has written, or is to write: "I like the second version better". */
export const OF_DRAFTS =
  /^(?:I|we)(?: [a-z]+ly| just| also| do)* (?:like|love|prefer|hate|need|want) (?:the (?:first|second|third|last|other|previous|new|old|original|shorter|longer)(?: one)?(?: (?:version|option|draft|idea|approach|title|suggestion|answer|paragraph|sentence))?(?: better| more| most| best)?$|the (?:first|second|third|last|other|previous|new|old|original) [a-z]+(?: [a-z]+)? (?:better|more|most|best)$|(?:an?|some) (?:[a-z]+ )?(?:regex|script|function|query|snippet|formula|one-liner|outline|slogan|caption|haiku|poem|synonyms?|(?:list|table|summary) of)\b|to (?:convert|translate|calculate|rewrite|rephrase|summari[sz]e|reformat|parse|sort|print|reverse) )/;

/** A state that will be over soon: "my boss is mad". */
export const PASSING_STATE =
  /^(?:my|our) [^,]{2,40}? (?:is|are|was|were|feels?|looks?|seems?)(?: [a-z]+ly| so| very| all| just| still| not| a bit)* (?:tired|mad|angry|late|busy|hungry|asleep|awake|home|out|back|away|upset|sad|happy|ready|done|fine|full|empty|closed|open|dirty|clean|messy|cold|hot|warm|broken|down|slow)$/i;

/** What a user says to an assistant without telling about themselves. Among people it may tell something. */
const ASIDES: Refusals = [
  [
    'supposition',
    new RegExp(
      String.raw`\b(?:if|unless|would(?! rather [^,]{1,80} than | ${RATHER})|wouldn't|could|couldn't|wish|might|maybe|perhaps|should|shouldn't|imagine|suppose|supposing|pretend|hypothetically|in theory|probably|as if)\b`,
      'i',
    ),
  ],
  [
    'thought',
    /^(?:I|we)(?: [a-z]+ly| just| also| still| even| never| always| do| did| can)*(?: not| don't| didn't| cannot| can't| couldn't)? (?:know(?! how to)|think|thought|guess|believe|mean|meant|suppose|see|understand|agree|hear|heard|bet|wonder|wondered|doubt|assume|assumed|remember|recall|forget|forgot|figure|figured|feel|felt|appreciate|apologi[sz]e|promise|swear|get it|got it|care|mind|notice|noticed|realis|realiz|said|say|told|tell|asked|ask(?! to (?:always|never|\p{L}+ ))|replied|mentioned|explained|tried|try|knew|hoped|expected|meant)\b/u,
  ],
  [
    'momentary',
    /^(?:I|we) (?:am|are|was|were)(?: [a-z]+ly| so| very| not| just| still| also| a bit| a little| too| all| feeling)* (?:tired|hungry|thirsty|sorry|glad|happy|excited|sad|angry|mad|upset|annoyed|sure|unsure|certain|fine|good|great|well|ok|okay|ready|back|here|there|home|done|confused|stuck|bored|busy|curious|lost|late|early|alone|free|able|unable|aware|surprised|impressed|grateful|thankful|relieved|proud|amazed|stoked|thrilled|pumped|psyched|blessed|lucky|swamped|overwhelmed|exhausted|stressed|worried|nervous|anxious|sleepy|cold|hot|drunk|kidding|joking|serious|right|wrong|down|fed up|off|up)\b(?! at )/,
  ],
  ['momentary', PASSING_STATE],
  [
    'under way',
    /^(?:I|we) (?:am|are|was|were|have been)(?: [a-z]+ly| just| still| also| not)* (?:wondering|asking|thinking(?! (?:of|about))|trying|looking(?! forward)|getting (?:this|the|that|these|no|some|an error)|having (?:fun|trouble|issues|problems|some|a (?:problem|hard|good|great|bad|rough|tough))|seeing|using(?! .* as (?:my|our))|running (?:into|this|the|late|out)|writing (?:to|this|in)|talking|referring|calling|reading (?:this|that)|sitting|standing|waiting|about to (?:leave|go|eat|sleep)|on (?:my|the) (?:way|phone|bus|train)|in a (?:hurry|meeting|rush)|doing(?! (?:an?|my) )|going to (?:try|check|see|do|be|need|have|ask|take a|go now|sleep|bed|say|use|send|paste|share)|kind of|sort of)\b/,
  ],
  [
    'errand',
    /^(?:I|we)(?: [a-z]+ly| just| also| still)* (?:need|want|would like|have|am going|are going|will|got)(?: to)? (?:know|ask|understand|see (?:what|how|if|whether)|make sure|thank|say|tell|talk|check|try|do (?:this|that|it)|keep|let|be (?:back|right|fine|there|sure|ok)|get back|think|take a look|look (?:at|into)|help|figure|find out|fix|debug|go now|run now|a question|another question|a problem|a doubt|an issue|an idea|an error|a bug|a task|a request|a feeling|no idea|some (?:questions?|problems?|issues?|trouble|doubts?|time|help)|trouble|questions|problems|issues|help|an? (?:script|function|query|example|list|summary|file|regex|table|error|exception|warning|message|answer|reply|email))\b/,
  ],
  [
    'demonstrative',
    /^(?:I|we)(?: [a-z]+ly| also| do| just| all)* (?:like|love|enjoy|prefer|hate|adore|dislike|want|need|have|got|use|used|did|made|found|saw|tried|read|can't stand)(?: doing| using)? (?:it|that|this|these|those|them|him|her|the idea|the sound|how|what|when|where|to (?:see|hear) (?:that|it|this))\b/,
  ],
  ['next step', NEXT_STEP],
  ['draft', OF_DRAFTS],
  // They/them are pronouns that one goes by.
  [
    'dangling',
    /(?<!\/)\b(?:it|that|this|these|those|them|there|him|her|so|too|such|something|anything|one)$/i,
  ],
];

/** What stays a supposition among people; a wish ("I would love to") is one's own. */
const SUPPOSITIONS: Refusals = [
  [
    'supposition',
    new RegExp(
      String.raw`^(?:maybe|perhaps|probably|if|unless|imagine|suppose|supposing|pretend|hypothetically|wish|(?:I|we|it|he|she|they|that|this|there|who|my \S+|the \S+|a \S+)(?: [a-z]+ly| just| also| still)* (?:would(?! (?:(?:love|like) to|rather [^,]{1,80} than |${RATHER}))|wouldn't|could|might|should|shouldn't|wish|may)\b)`,
      'i',
    ),
  ],
];

/** The first row of the tables that a clause matches. */
function refusedBy(clause: string, tables: readonly Refusals[]): string | null {
  for (const table of tables) {
    const row = table.find(([, pattern]) => pattern.test(clause));
    if (row !== undefined) return row[0];
  }
  return null;
}

/** Why nothing at all is kept of a clause, or null. `addressed`: `you` has a name. */
export function refusalOf(clause: string, social: boolean, addressed: boolean): string | null {
  return refusedBy(clause, [
    REFUSALS,
    SUPPOSITIONS,
    ...(social ? [MACHINE] : [PLAY]),
    ...(addressed ? [] : [ADDRESSED]),
  ]);
}

/**
 * Why a clause that a user says to an assistant is no attribute, or null: it is mostly about the task at hand. What it
 * tells may be kept in the user's words.
 */
export function asideOf(clause: string): string | null {
  return refusedBy(clause, [MACHINE, ASIDES]);
}

/** Whether a text is about passwords, keys or card numbers. */
export function mentionsSecret(text: string): boolean {
  return SECRET.test(text);
}
