import { toThirdPersonVerb } from './verbs.ts';

/** A form of a wish for every reply, and what it is as a clause of the user's. */
type Form = readonly [RegExp, (groups: Record<string, string>) => string];

const POLITE = /^(?:please,? |and |but |also,? |so |just |oh,? |okay,? |ok,? )*/i;
/** "Could you always …": only what is wanted for good is a wish and no question. */
const ASKED = /^(?:can|could|would|will) you (?:please |maybe |just |kindly )*/i;

/** What replies are to be free of, or full of. */
const FEATURE =
  '(?:emojis?|emoticons?|smileys?|exclamation (?:marks|points)|bullet points?|bullets|lists|tables|markdown|head(?:ings|ers)|jargon|slang|acronyms|abbreviations|(?:em )?dashes|disclaimers|caveats|fillers?|clichés|buzzwords|swear words|passive voice|bold(?: text)?|italics|big words|fancy words|hashtags)';
const BASE_FORMS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    using: 'use',
    adding: 'add',
    putting: 'put',
    writing: 'write',
    asking: 'ask',
    calling: 'call',
    reminding: 'remind',
    suggesting: 'suggest',
    recommending: 'recommend',
    apologizing: 'apologize',
    apologising: 'apologise',
    sugarcoating: 'sugarcoat',
    lecturing: 'lecture',
    patronizing: 'patronize',
    giving: 'give',
    telling: 'tell',
    ending: 'end',
    starting: 'start',
    addressing: 'address',
    offering: 'offer',
  }),
);
const DOING = [...BASE_FORMS.keys()]
  .filter((verb) => !['using', 'adding', 'putting', 'writing'].includes(verb))
  .join('|');
/** Verbs of what an assistant does for its user. */
const DO =
  'answer|reply|respond|talk|speak|write|call|address|explain|give|show|use|include|keep|add|cite|mention|ask|remind|check|double-check|verify|proofread|correct|review|point out|leave out|skip|avoid|suggest|recommend|offer|start|begin|end|finish|format|convert|translate|summari[sz]e|assume|be|treat|help|describe|provide|list|state|note|spell|round|quote|prefer|prioriti[sz]e|greet|send|tell|link|compare|highlight|structure|present|limit|challenge|test|quiz|teach|try|push|judge|rush';
const FOR_GOOD =
  'always|every time|each time|from now on|going forward|in (?:the )?future|for good|in general|as a rule|by default';
const UNITS =
  '(?:british|american|australian|canadian|uk|us|metric|imperial|celsius|fahrenheit|24-hour|24h|12-hour|iso|si|swiss|oxford|gender-neutral|inclusive|kilomet(?:er|re)s|miles|kilograms|kilos|euros?|pounds)';
const OFTEN =
  '(?:every|each) (?:[a-z]+ )?(?:day|morning|evening|afternoon|night|week|month|year|hour|weekday|weekend|[a-z]+day)|daily|weekly|monthly|on (?:[A-Z][a-z]+days|weekdays|weekends)|(?:once|twice|three times) an? (?:day|week|month)';

const always = (what: string) => `I ask to always ${lowerFirst(what)}`;
const never = (what: string) =>
  `I ask to never ${lowerFirst(what.replace(/^\S+/, (verb) => BASE_FORMS.get(verb.toLowerCase()) ?? verb))}`;

/** What "it" means comes first. */
const whenever = (what: string, when: string) =>
  /\b(?:it|them|they|that)\b/i.test(what)
    ? `I ask, ${lowerFirst(when)}, to ${lowerFirst(what)}`
    : `I ask to ${lowerFirst(what)} ${lowerFirst(when)}`;

/** Forms that say by themselves that they are meant for good. */
const FORMS: readonly Form[] = [
  [
    new RegExp(`^(?<what>(?:${DO}) .+?),?(?: please,?)? (?:${FOR_GOOD})(?:,? please)?$`, 'i'),
    ({ what = '' }) => always(what),
  ],
  [
    new RegExp(
      `^(?:don't|do not) (?<what>(?:${DO}) .+?),?(?: please,?)? (?:${FOR_GOOD}|again|any ?more|ever)(?:,? .{1,120})?$`,
      'i',
    ),
    ({ what = '' }) => never(what),
  ],
  [new RegExp(`^(?:don't|do not) ever (?<what>(?:${DO}) .+)$`, 'i'), ({ what = '' }) => never(what)],
  [
    new RegExp(`^be (?<what>.{3,80}? (?:with me|${FOR_GOOD}))$`, 'i'),
    ({ what = '' }) => `I ask the assistant to be ${what}`,
  ],
  [
    new RegExp(
      `^(?:(?:${FOR_GOOD}),? )?no (?<what>[\\p{L} -]{3,40}?)(?:,? please)?,? (?:ever|at all|${FOR_GOOD})$`,
      'iu',
    ),
    ({ what = '' }) => `I ask for no ${what}`,
  ],
  [
    new RegExp(`^(?:${FOR_GOOD}),? no (?<what>[\\p{L} -]{3,40}?)(?:,? please)?$`, 'iu'),
    ({ what = '' }) => `I ask for no ${what}`,
  ],
  [
    /^(?<which>(?:all|any) (?:of )?your (?:replies|answers|responses|messages|explanations)|(?:every|each) (?:reply|answer|response|message)(?: of yours)?|your (?:replies|answers|responses|messages|explanations)) (?:should|must|has to|have to|needs to|need to) (?<what>.+)$/i,
    ({ which = '', what = '' }) =>
      `I want ${lowerFirst(which.replace(/^your | (?:of )?your| of yours/i, ''))} to ${what}`,
  ],
  [
    new RegExp(
      `^(?<when>when(?:ever)?) you (?<verb>suggest|recommend|give|write|explain|answer|reply|respond|describe|mention|show|use|talk|translate|summari[sz]e|correct|review|list)\\b(?<rest>[^,]{0,80}), (?:please )?(?<what>(?:(?:don't|do not|never|always) )?(?:${DO})\\b.*)$`,
      'i',
    ),
    ({ when = '', verb = '', rest = '', what = '' }) =>
      whenever(withNever(what), `${when} the assistant ${inflected(verb)}${rest}`),
  ],
  [
    new RegExp(
      `^(?<when>when(?:ever)? (?:giving|writing|suggesting|recommending|explaining|answering|replying|describing|showing|translating|summari[sz]ing|correcting|reviewing|listing) [^,]{2,80}), (?:please )?(?<what>(?:(?:don't|do not|never|always) )?(?:${DO})\\b.*)$`,
      'i',
    ),
    ({ when = '', what = '' }) => whenever(withNever(what), when),
  ],
  [
    new RegExp(`^(?<how>never|${FOR_GOOD}),?(?: please,?)? (?<what>(?:${DO}) .+)$`, 'i'),
    ({ how = '', what = '' }) => (how.toLowerCase() === 'never' ? never(what) : always(what)),
  ],
  [
    /^(?<what>(?:[Aa]nswer|[Rr]eply|[Rr]espond|[Ww]rite|[Ss]peak)(?: to me)? (?:only|exclusively) in \p{Lu}.*)$/u,
    ({ what = '' }) => always(what),
  ],
  [
    new RegExp(
      `^(?:stop|quit) (?<what>(?:(?:using|adding|putting|writing) (?:(?:so many |all the |any )?${FEATURE}\\b|.{2,80} (?:every|each|all|your) (?:of your )?(?:answer|repl|response|message))|(?:${DOING})\\b).*)$`,
      'i',
    ),
    ({ what = '' }) => never(what),
  ],
  [
    /^(?:don't|do not) (?<what>(?:ask me (?:any |so many )?(?:follow-up |clarifying )?questions|call me [A-Z]|use my (?:full|first|last|middle|real) name|address me (?:as|by|with) |sugarcoat |patroni[sz]e me|lecture me|judge me).*)$/i,
    ({ what = '' }) => never(what),
  ],
  [
    new RegExp(
      `^(?<what>(?:${DO}) .{3,120}?) (?<when>(?:whenever|every time|each time|any ?time) (?:I|we) .{3,120})$`,
      'i',
    ),
    ({ what = '', when = '' }) => whenever(what, when),
  ],
  [
    new RegExp(
      `^(?<when>(?:when|whenever|every time|each time|any ?time|if) (?:I|we) (?:am |have |)(?:ask|mention|say|send|share|paste|post|upload|show|write|talk|speak|give|misspell|forget|seem|sound|feel|tell|describe|request|stressed|upset|sad|angry|tired|wrong)\\b[^,]{0,120}), (?:please )?(?<what>(?:(?:don't|do not|never|always) )?(?:${DO})\\b.*)$`,
      'i',
    ),
    ({ what = '', when = '' }) => whenever(withNever(what), when),
  ],
  [
    /^(?<what>(?:speak|talk|write|reply|respond|answer|chat|communicate)(?: to| with)? (?:me|us) (?:only |just |more |less |mostly )?(?:in (?!this\b|the\b|a\b|an\b)|formally|informally|casually|politely|slowly|simply|directly|honestly|formal|informal).*)$/i,
    ({ what = '' }) => always(what),
  ],
  [/^(?<what>(?:speak|talk) \p{Lu}\p{Ll}+ (?:to|with) me\b.*)$/iu, ({ what = '' }) => always(what)],
  [/^(?<what>only (?:recommend|suggest) .+)$/i, ({ what = '' }) => `I ask to ${lowerFirst(what)}`],
  [/^(?<what>(?:address|refer to) my .{2,60} as .+)$/i, ({ what = '' }) => always(what)],
  [
    /^let me know (?<when>when(?:ever)?|if|every time|each time) you are (?<how>unsure|uncertain|not sure|guessing|not certain|assuming|making (?:an assumption|assumptions)\b.*)$/i,
    ({ when = '', how = '' }) => `I ask to be told ${lowerFirst(when)} the assistant is ${how}`,
  ],
  [
    new RegExp(`^(?:${FOR_GOOD}),? (?<said>I (?:want|prefer|like|need|expect) .+)$`, 'i'),
    ({ said = '' }) => said,
  ],
  [/^(?<what>address me (?:formally|informally|as |by |with ).*)$/i, ({ what = '' }) => always(what)],
  [/^(?<what>treat me (?:like|as) .+)$/i, ({ what = '' }) => `I ask to ${lowerFirst(what)}`],
  [
    /^(?<what>assume (?:that )?I (?:(?:do not |already )?(?:know|understand|speak|have read) |am (?:an? )?(?:total |complete |absolute |experienced |senior |junior )?(?:beginner|novice|expert|professional|developer|engineer|layperson|layman|native speaker|familiar with|new to)\b).*)$/i,
    ({ what = '' }) => `I ask to ${lowerFirst(what)}`,
  ],
  [
    new RegExp(
      `^(?<what>use (?:${UNITS}|my (?:first |given |nick)name|(?:she/her|he/him|they/them))(?: (?:spelling|english|units?|system|time|clock|format|dates?|language|notation|conventions?|punctuation|measurements?))*(?:,? not .{2,40}| for (?!.*\\b(?:this|that|the|here)\\b).{2,40})?)$`,
      'i',
    ),
    ({ what = '' }) => always(what),
  ],
  [
    /^you (?:can|may) (?<what>(?:skip|leave out|drop|omit|spare me) .+?)(?: (?:with|for) me)$/i,
    ({ what = '' }) => `I ask to ${what}`,
  ],
  [
    /^(?:you (?:do not|don't) (?:need|have) to|(?:there is )?no need to) (?<what>(?:explain|be|define|spell out|describe|apologi[sz]e|translate|repeat) .+? (?:to|with|for) me\b.*)$/i,
    ({ what = '' }) => `I ask not to ${what}`,
  ],
  [
    new RegExp(`^remind me (?<what>(?:to|about|of) .+ (?:${OFTEN})\\b.*)$`, 'i'),
    ({ what = '' }) => `I ask to be reminded ${what}`,
  ],
];

/** What the user says of the assistant itself. */
const OF_ASSISTANT: readonly Form[] = [
  [
    /^I (?:really |also |much )*(?<like>like|love|prefer|appreciate|enjoy|hate|dislike|(?:do not|don't) like|can't stand|cannot stand) it (?:when|if|that) you (?<verb>(?:always |never )?\p{Ll}+)\b(?<rest>.*)$/iu,
    ({ like = '', verb = '', rest = '' }) => `I ${like} it when the assistant ${inflected(verb)}${rest}`,
  ],
  [
    /^I (?:would|'d) (?:much |really |also )?(?:rather|(?:prefer|appreciate|like|love) it if) you (?<how>didn't|did not|were|was|could|would) (?<what>.+)$/i,
    ({ how = '', what = '' }) =>
      `I want the assistant ${/^did/i.test(how) ? 'not ' : ''}to ${/^w(?:ere|as)$/i.test(how) ? 'be ' : ''}${what}`,
  ],
  [
    /^I (?:would like|would love|want|need|expect) you to (?<what>(?:act|be|play|behave|correct|remind|keep|speak|talk|treat|push|challenge|hold|check|ask|reply|answer|write) .+ (?:whenever|every|each|always|from now on|when I|if I)\b.*)$/i,
    ({ what = '' }) => `I want the assistant to ${what}`,
  ],
  [
    /^I (?:do not|don't) want (?:any )?(?<what>(?:\p{L}+ ){0,3}(?:advice|suggestions?|recommendations?|opinions?|disclaimers?|warnings?|lectures?|spoilers?|small talk|emojis?|jargon)\b.*)$/iu,
    ({ what = '' }) => `I ask for no ${what}`,
  ],
  [
    /^(?<said>(?:when|whenever|if) (?:I|we) [^,]{3,80}, (?:it|that) (?:always |usually )?means .+)$/i,
    ({ said = '' }) => said,
  ],
  [
    /^(?<said>(?:(?:by|with) (?!(?:that|this|it|which)\b).{2,60}? (?:I|we) mean|(?:when|whenever|if) (?:I|we) (?:say|write|mention|talk about|ask for) [^,]{2,60}, (?:I|we) (?:always |usually |generally )?mean) .+)$/i,
    ({ said = '' }) => said,
  ],
];

/** What clauses of these forms begin with: they are about replies, whatever else they name. */
export const WISH_CLAUSE =
  /^I ask(?:, .{3,120},)?(?: the assistant)? (?:not )?to |^I ask for no |^I want (?:(?:all|any|every|each) )?(?:repl|answer|response|message|explanation)|^I (?:\p{Ll}+ ){1,3}it when the assistant |^I want the assistant (?:not )?to |^(?:by|with|when|whenever|if) .{2,80} (?:I|we) (?:always |usually |generally )?mean |^(?:when|whenever|if) (?:I|we) .{3,80}, (?:it|that) (?:always |usually )?means /iu;

function lowerFirst(text: string): string {
  return /^I\b/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
}

/** "don't give me advice" → "never give me advice". */
function withNever(what: string): string {
  return what.replace(/^(?:don't|do not) /i, 'never ');
}

/** The verb behind "when the assistant", of "when you always give". */
function inflected(verbs: string): string {
  const words = verbs.split(' ');
  const verb = words.pop() ?? '';
  return [...words, toThirdPersonVerb(verb)].join(' ');
}

function firstOf(forms: readonly Form[], sentence: string): string | null {
  for (const [pattern, toWish] of forms) {
    const groups = pattern.exec(sentence)?.groups;
    if (groups !== undefined) return toWish(groups);
  }
  return null;
}

/** "Tables in your replies" → "tables in replies": they are the assistant's, whoever that is. */
export function ofReplies(what: string): string {
  return what
    .replaceAll(/\b(?:in|of|with) your (?=replies|answers|responses|messages)/gi, 'in ')
    .replaceAll(/\byour (?=(?:replies|answers|responses|messages|explanations)\b)/gi, '')
    .replaceAll(/\byour /gi, 'the ');
}

/** A wish for the replies to come that says so by its form, as a first-person clause; null for other sentences. */
export function wishOfForm(sentence: string): string | null {
  const said = sentence
    .replace(POLITE, '')
    .replace(/[.!]{1,3}$/, '')
    .replace(/,? please$/i, '')
    .replace(/\bas you would\b/i, 'as one would')
    .replace(/(?<=\bI \p{L}{2,12} )you\b/iu, 'the assistant');
  if (!said.endsWith('?'))
    return firstOf(
      FORMS,
      said.replace(/^(?:let's|make sure (?:that )?you|make sure to) (?=always |never )/i, ''),
    );
  const asked = said.replace(ASKED, '');
  // A question has to say that it is meant for good.
  return asked === said || !new RegExp(`\\b(?:${FOR_GOOD}|never|stop)\\b`, 'i').test(asked)
    ? null
    : firstOf(FORMS, asked.slice(0, -1));
}

/** What the user says of how the assistant should be, or of what words of theirs mean. */
export function wishOfAssistant(sentence: string): string | null {
  return firstOf(OF_ASSISTANT, sentence.replace(POLITE, '').replace(/[.!]{1,3}$/, ''));
}
