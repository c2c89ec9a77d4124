import { toThirdPersonVerb } from './verbs.ts';
import {
  DO,
  DOING,
  FEATURE,
  FOR_GOOD,
  IN_CHAT,
  MANNER,
  OF_UNITS,
  OFTEN,
  OPERATE,
  REPLY,
  REPLYING,
  UNITS,
  USING,
  withBaseForm,
} from './wish-words.ts';

/** A form of a wish for every reply, and what it is as a clause of the user's. */
type Form = readonly [RegExp, (groups: Readonly<Record<string, string>>) => string];

const form = (pattern: string, toWish: Form[1]): Form => [new RegExp(`^${pattern}$`, 'iu'), toWish];

const ask = ({ what = '' }) => `I ask to ${lowerFirst(what)}`;
const always = ({ what = '' }) => `I ask to always ${lowerFirst(what)}`;
const never = ({ what = '' }) => `I ask to never ${lowerFirst(withBaseForm(what))}`;
const without = ({ what = '' }) => `I ask for no ${what}`;
const asSaid = ({ said = '' }) => said;

/** What "it" stands for comes first: "I ask, when I share code, to review it". */
function whenever({ when = '', what = '' }): string {
  const wanted = lowerFirst(what.replace(/^(?:don't|do not) /i, 'never '));
  return /\b(?:it|them|they|that)\b/i.test(wanted)
    ? `I ask, ${lowerFirst(when)}, to ${wanted}`
    : `I ask to ${wanted} ${lowerFirst(when)}`;
}

const NOT = "(?:don't|do not)";
const WHENEVER = '(?:when|whenever|every time|each time|any ?time)';
const MAYBE_PLEASE = ',?(?: please,?)?';
const WANTED = (verbs: string) => `(?:please )?(?<what>(?:(?:${NOT}|never|always) )?(?:${verbs})\\b.*)`;

/** For all chats, by a word that says so. */
const BY_ADVERB: readonly Form[] = [
  form(`(?:(?:${FOR_GOOD})${MAYBE_PLEASE} )?never (?<what>(?:${DO})\\b.+)`, never),
  form(`(?:${FOR_GOOD})${MAYBE_PLEASE}(?: always)? (?<what>(?:${DO})\\b.+)`, always),
  form(`(?<what>(?:${DO}) .+?)${MAYBE_PLEASE} (?:${FOR_GOOD})`, always),
  form(
    `${NOT} (?<what>(?:${DO}) .+?)${MAYBE_PLEASE} (?:${FOR_GOOD}|again|any ?more|ever)(?:,? .{1,120})?`,
    never,
  ),
  form(`${NOT} ever (?<what>(?:${DO}) .+)`, never),
  form(
    `be (?<what>.{3,80}? (?:with me|${FOR_GOOD}))`,
    ({ what = '' }) => `I ask the assistant to be ${what}`,
  ),
  form(
    `(?:(?:${FOR_GOOD}),? )?no (?<what>[\\p{L} -]{3,40}?)${MAYBE_PLEASE},? (?:ever|at all|${FOR_GOOD})`,
    without,
  ),
  form(`(?:${FOR_GOOD}),? no (?<what>[\\p{L} -]{3,40}?)`, without),
  form(`(?:${FOR_GOOD}),? (?<said>I (?:want|prefer|like|need|expect) .+)`, asSaid),
];

/** For every time that something comes up. */
const BY_OCCASION: readonly Form[] = [
  form(
    `(?<when>(?:${WHENEVER}|if) (?:I|we) (?:am |have |)${IN_CHAT}\\b[^,]{0,120}), ${WANTED(DO)}`,
    whenever,
  ),
  form(`(?<when>${WHENEVER} (?:I|we) (?!${OPERATE}\\b)[^,]{3,120}), ${WANTED(MANNER)}`, whenever),
  form(
    `(?<when>when(?:ever)?) you (?<verb>${REPLYING}e?)\\b(?<rest>[^,]{0,80}), ${WANTED(DO)}`,
    ({ when = '', verb = '', rest = '', what = '' }) =>
      whenever({ when: `${when} the assistant ${inflected(verb)}${rest}`, what }),
  ),
  form(`(?<when>when(?:ever)? ${REPLYING}ing [^,]{2,80}), ${WANTED(DO)}`, whenever),
  form(
    `(?<what>(?:${DO}) .{3,120}?) (?<when>(?:whenever|every time|each time|any ?time) (?:I|we) .{3,120})`,
    whenever,
  ),
  form(
    `remind me (?<what>(?:to|about|of) .+ ${OFTEN}\\b.*)`,
    ({ what = '' }) => `I ask to be reminded ${what}`,
  ),
  form(
    'let me know (?<when>when(?:ever)?|if|every time|each time) you are (?<how>unsure|uncertain|not sure|guessing|not certain|assuming|making (?:an assumption|assumptions)\\b.*)',
    ({ when = '', how = '' }) => `I ask to be told ${lowerFirst(when)} the assistant is ${how}`,
  ),
];

/** For all replies, which are named, or what they are made of is. */
const BY_REPLIES: readonly Form[] = [
  form(
    `(?<what>(?:keep|make|write) (?:all )?(?:of )?your ${REPLY} (?:short|brief|concise|simple|plain|formal|informal|casual|polite|friendly|factual|under \\d).*)`,
    always,
  ),
  form(
    `(?:(?:${NOT}|avoid|stop) (?<what>(?:use|include|add|put|write|give|start|end|${USING}|giving|starting|ending) .*\\b(?:your|all|any|every|each|future) (?:of your )?${REPLY}\\b.*))`,
    never,
  ),
  form(`(?:stop|quit) (?<what>(?:${USING} (?:so many |all the |any )?${FEATURE}|${DOING})\\b.*)`, never),
  form(
    `(?<which>(?:all|any) (?:of )?your ${REPLY}|(?:every|each) (?:reply|response|${REPLY} of yours)|your ${REPLY}) (?:should|must|has to|have to|needs to|need to) (?<what>.+)`,
    ({ which = '', what = '' }) =>
      `I want ${lowerFirst(which.replace(/^your | (?:of )?your| of yours/i, ''))} to ${what}`,
  ),
];

/** For how the assistant speaks to this user, and what it takes for granted. */
const BY_MANNER: readonly Form[] = [
  form(
    `${NOT} (?<what>(?:ask me (?:any |so many )?(?:follow-up |clarifying )?questions|call me \\p{L}|use my (?:full|first|last|middle|real) name|address me (?:as|by|with) |sugarcoat |patroni[sz]e me|lecture me|judge me).*)`,
    never,
  ),
  form(
    '(?<what>(?:(?:speak|talk|write|reply|respond|answer|chat|communicate)(?: to| with)? (?:me|us) (?:only |just |more |less |mostly )?(?:in (?!this\\b|the\\b|an?\\b)|formal|informal|casual|polite|slowly|simply|directly|honestly)|(?:speak|talk) \\p{L}+ (?:to|with) me\\b|(?:answer|reply|respond|write|speak) (?:only|exclusively) in (?!one\\b|this\\b|the\\b|an?\\b)).*)',
    always,
  ),
  form(
    '(?<what>address me (?:formally|informally|as |by |with ).*|(?:address|refer to) my .{2,60} as .+)',
    always,
  ),
  form('(?<what>treat me (?:like|as) .+)', ask),
  form(
    '(?<what>assume (?:that )?I (?:(?:do not |already )?(?:know|understand|speak|have read) |am (?:an? )?(?:total |complete |absolute |experienced |senior |junior )?(?:beginner|novice|expert|professional|developer|engineer|layperson|layman|native speaker|familiar with|new to)\\b).*)',
    ask,
  ),
  form(
    `(?<what>use (?:${UNITS}|my (?:first |given |nick)name|(?:she/her|he/him|they/them))(?: ${OF_UNITS})*(?:,? not .{2,40}| for (?!.*\\b(?:this|that|the|here)\\b).{2,40})?)`,
    always,
  ),
  form('you (?:can|may) (?<what>(?:skip|leave out|drop|omit|spare me) .+?) (?:with|for) me', ask),
  form(
    "(?:you (?:do not|don't) (?:need|have) to|(?:there is )?no need to) (?<what>(?:explain|be|define|spell out|describe|apologi[sz]e|translate|repeat) .+? (?:to|with|for) me\\b.*)",
    ({ what = '' }) => `I ask not to ${what}`,
  ),
  form(
    "I (?:really |also |much )*(?<like>like|love|prefer|appreciate|enjoy|hate|dislike|(?:do not|don't) like|can't stand|cannot stand) it (?:when|if|that) you (?<verb>(?:always |never )?[a-z]+)\\b(?<rest>.*)",
    ({ like = '', verb = '', rest = '' }) => `I ${like} it when the assistant ${inflected(verb)}${rest}`,
  ),
  form(
    "I (?:would|'d) (?:much |really |also )?(?:rather|(?:prefer|appreciate|like|love) it if) you (?<how>didn't|did not|were|was|could|would) (?<what>.+)",
    ({ how = '', what = '' }) =>
      `I want the assistant ${/^did/i.test(how) ? 'not ' : ''}to ${/^w(?:ere|as)$/i.test(how) ? 'be ' : ''}${what}`,
  ),
  form(
    'I (?:would like|would love|want|need|expect) you to (?<what>(?:act|be|play|behave|correct|remind|keep|speak|talk|treat|push|challenge|hold|check|ask|reply|answer|write) .+ (?:whenever|every|each|always|from now on|when I|if I)\\b.*)',
    ({ what = '' }) => `I want the assistant to ${what}`,
  ),
  form(
    `I ${NOT} want (?:any )?(?<what>(?:\\p{L}+ ){0,3}(?:advice|suggestions?|recommendations?|opinions?|disclaimers?|warnings?|lectures?|spoilers?|small talk|emojis?|jargon)\\b.*)`,
    without,
  ),
];

/** What words of the user's mean. */
const BY_MEANING: readonly Form[] = [
  form(
    '(?<said>(?:(?:by|with) (?!(?:that|this|it|which)\\b).{2,60}? (?:I|we) mean|(?:when|whenever|if) (?:I|we) (?:say|write|mention|talk about|ask for) [^,]{2,60}, (?:I|we) (?:always |usually |generally )?mean|(?:when|whenever|if) (?:I|we) [^,]{3,80}, (?:it|that) (?:always |usually )?means) .+)',
    asSaid,
  ),
];

const FORMS = [...BY_REPLIES, ...BY_ADVERB, ...BY_MEANING, ...BY_OCCASION, ...BY_MANNER];

/** What clauses of these forms begin with: they are about replies, whatever else they name. */
export const WISH_CLAUSE =
  /^I ask(?:, .{3,120},)?(?: the assistant)? (?:not )?to |^I ask for no |^I want (?:(?:all|any|every|each) )?(?:repl|answer|response|message|explanation)|^I (?:\p{Ll}+ ){1,3}it when the assistant |^I want the assistant (?:not )?to |^(?:by|with|when|whenever|if) .{2,80} (?:I|we) (?:always |usually |generally )?mean |^(?:when|whenever|if) (?:I|we) .{3,80}, (?:it|that) (?:always |usually )?means /iu;

const POLITE = /^(?:please,? |and |but |also,? |so |just |oh,? |okay,? |ok,? )*/i;
/** "I'd like you to always answer in French", "make sure you never ...": what follows says it alone. */
const INTRODUCTION =
  /^(?:let's|make sure (?:that )?you|make sure to|I (?:would (?:like|prefer|love)|want|need|prefer) (?:for )?you to) (?=(?:always|never) )/i;
/** "Could you always ...": a question has to say that it is meant for good. */
const ASKED = /^(?:can|could|would|will) you (?:please |maybe |just |kindly )*/i;
const SAYS_FOR_GOOD = new RegExp(`\\b(?:${FOR_GOOD}|never|stop)\\b`, 'i');
const WHEN_YOU_WRITE = / when you (?:write|talk|speak|reply|respond|answer)(?: to me)?$/i;

function lowerFirst(text: string): string {
  return /^I\b/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
}

/** The verb behind "when the assistant", of "when you always give". */
function inflected(verbs: string): string {
  const words = verbs.split(' ');
  const verb = words.pop() ?? '';
  return [...words, toThirdPersonVerb(verb)].join(' ');
}

/** "Tables in your replies" → "tables in replies": they are the assistant's, whoever that is. */
function ofReplies(wish: string): string {
  return wish
    .replaceAll(/\b(?:in|of|with) your (?=replies|answers|responses|messages)/gi, 'in ')
    .replaceAll(/\byour (?=(?:replies|answers|responses|messages|explanations)\b)/gi, '')
    .replaceAll(/\byour /gi, 'the ');
}

/** A wish for every reply, which says by its form that it is one, as a first-person clause; null for other sentences. */
export function wishOf(sentence: string): string | null {
  const said = sentence
    .replace(POLITE, '')
    .replace(/[.!]{1,3}$/, '')
    .replace(/,? please$/i, '')
    .replace(WHEN_YOU_WRITE, ' in replies')
    .replace(/\bas you would\b/i, 'as one would')
    .replace(/(?<=\bI \p{L}{2,12} )you\b(?! to\b)/iu, 'the assistant')
    .replace(INTRODUCTION, '');
  const isQuestion = said.endsWith('?');
  const wanted = isQuestion ? said.replace(ASKED, '').slice(0, -1) : said;
  if (isQuestion && (wanted.length === said.length - 1 || !SAYS_FOR_GOOD.test(wanted))) return null;
  for (const [pattern, toWish] of FORMS) {
    const groups = pattern.exec(wanted)?.groups;
    if (groups !== undefined) return ofReplies(toWish(groups));
  }
  return null;
}
