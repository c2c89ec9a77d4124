/** How replies should be. What else the assistant could be told to do is no preference. */
export const MANNER =
  'include|use|provide|give|add|mention|cite|format|explain|show|list|write|keep|suggest|recommend|convert|remind|ask|check|refer|describe|specify|note|spell|put|avoid|summari[sz]e|highlight|compare|report|present|structure|break|offer|prefer|prioriti[sz]e|state|round|quote|confirm|clarify|illustrate|detail|link|leave|skip|stick|consider|focus|assume|limit|express|translate|call|address|make|(?:answer|reply|respond|talk|speak|write)(?: to)?(?: me)?(?= (?:in|briefly|concisely|politely|formally|with (?:an? )?(?:short|brief)))';

/** What an assistant does for its user, where the sentence says that it is meant for good. */
export const DO = `${MANNER}|answer|reply|respond|talk|speak|double-check|verify|proofread|correct|review|point out|start|begin|end|finish|be|treat|help|greet|send|tell|challenge|test|quiz|teach|try|push|judge|rush`;

export const FOR_GOOD =
  'always|every time|each time|from now on|going forward|in (?:the )?future|for good|in general|as a rule|by default';

/** What replies are to be free of, or full of. */
export const FEATURE =
  '(?:emojis?|emoticons?|smileys?|exclamation (?:marks|points)|bullet points?|bullets|lists|tables|markdown|head(?:ings|ers)|jargon|slang|acronyms|abbreviations|(?:em )?dashes|disclaimers|caveats|fillers?|clichés|buzzwords|swear words|passive voice|bold(?: text)?|italics|big words|fancy words|hashtags)';

export const REPLY = '(?:repl(?:y|ies)|answers?|responses?|messages?|explanations?)';

export const UNITS =
  '(?:british|american|australian|canadian|uk|us|metric|imperial|celsius|fahrenheit|24-hour|24h|12-hour|iso|si|swiss|oxford|gender-neutral|inclusive|kilomet(?:er|re)s|miles|kilograms|kilos|euros?|pounds)';
export const OF_UNITS =
  '(?:spelling|english|units?|system|time|clock|format|dates?|language|notation|conventions?|punctuation|measurements?)';

export const OFTEN =
  '(?:(?:every|each) (?:[a-z]+ )?(?:day|morning|evening|afternoon|night|week|month|year|hour|weekday|weekend|[a-z]+day)|daily|weekly|monthly|on (?:[A-Z][a-z]+days|weekdays|weekends)|(?:once|twice|three times) an? (?:day|week|month))';

/** What is done to a machine: "When I run the script, use the second file" is no wish for replies. */
export const OPERATE =
  '(?:call|run|click|press|execute|invoke|restart|install|load|submit|compile|build|deploy|import)';

/** What a user does in a chat, or is there. */
export const IN_CHAT =
  '(?:ask|mention|say|send|share|paste|post|upload|show|write|talk|speak|give|misspell|forget|seem|sound|feel|tell|describe|request|stressed|upset|sad|angry|tired|wrong)';

/** What an assistant does in a chat. */
export const REPLYING =
  '(?:suggest|recommend|giv|writ|explain|answer|reply|respond|describ|mention|show|us|talk|translat|summari[sz]|correct|review|list)';

const BASE_FORMS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    using: 'use',
    including: 'include',
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

/** What may be one text's alone: only with what replies are made of, or with the replies themselves, is it all of them. */
const OF_TEXTS = ['using', 'including', 'adding', 'putting', 'writing'];
export const USING = `(?:${OF_TEXTS.join('|')})`;
/** What an assistant is told to stop for good. */
export const DOING = `(?:${[...BASE_FORMS.keys()].filter((verb) => !OF_TEXTS.includes(verb)).join('|')})`;

/** "Using emojis" → "use emojis". */
export function withBaseForm(what: string): string {
  return what.replace(/^\S+/, (verb) => BASE_FORMS.get(verb.toLowerCase()) ?? verb);
}
