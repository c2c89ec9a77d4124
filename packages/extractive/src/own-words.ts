import { tagWords } from './agreement.ts';
import { PASSING_STATE, NEXT_STEP, OF_DRAFTS } from './refusals.ts';
import { contentWords } from './telling.ts';

/** Words of whatever somebody is busy with, which tell nothing of it. */
const TASK_WORDS =
  /\b(?:help|code|currently|current|examples?|correctly|properly|issues?|problems?|trouble|implementation|questions?|advice|tips|ways?|ideas?|figure|handle|ensure|practices|following|sample|attempt|asking|stuck|confused|curious)\b/gi;

/** A clause that no rule reads is kept in the user's own words when it says this much. */
const MIN_WORDS = 4;

const FIRST_PERSON = /\b(?:I|[Mm]y|[Mm]yself|[Ww]e|[Oo]ur|[Oo]urselves)\b/;

/** What the user wants of the assistant, not what is so. */
const ERRANDS: readonly RegExp[] = [
  /^(?:I|we)(?: am| are| was| were| have been)?(?: [a-z]+ly| just| also| still| not| even| kinda| a bit)* (?:sure|unsure|wondering|curious|asking|confused (?:about|by|on) (?:how|what|why)|looking for (?:some |any |more |a few |the best |your )?(?:advice|tips|suggestions|ideas|ways?|help|feedback|guidance|pointers|examples?|recommendations?|options?)|hoping (?:for|to get) (?:some )?(?:advice|tips|help|feedback|guidance))\b/,
  /^(?:I|we)(?: [a-z]+ly| just| also| still| even| do)*(?: don't| didn't| do not)? (?:need|want|would like|would love|have|wonder|know|could use|understand)(?: to| some| any| a| more| your)* (?:know|ask|understand|see (?:what|how|if|whether|an? example)|hear (?:about|what|how)|confirm|check|verify|get (?:some |your |more )*(?:help|advice|feedback|ideas|tips|suggestions)|figure out|find out|how|what|why|where|which|whether|if|help|advice|tips|ideas?|suggestions?|examples?|guidance|feedback|recommendations?|questions?|code review|review|explanation)\b/,
  /^(?:please |always |never |just |now |then |also )*(?:write|draft|plan|create|make|build|design|generate|translate|summari[sz]e|review|check|proofread|edit|fix|debug|explain|describe|tell|give|show|list|find|suggest|recommend|compare|help|remind|rewrite|rephrase|convert|calculate|estimate|analy[sz]e|outline|improve|optimi[sz]e|add|remove|change|update|include|use|keep|put|set|turn|let|send|read|look|take|consider|ask|answer|act|pretend|imagine|assume|suppose|remember|note|think|try|start|continue|go|stop|skip|avoid|ignore|focus|format|organi[sz]e|sort|rank|rate|evaluate|test|run|teach|walk|guide|brainstorm|prepare|schedule|book|order|buy|do not|don't) (?!(?:is|was|are|were|has|had)\b)/i,
  /^(?:(?:I|we) (?:am|have been|was) (?:using|getting|seeing|having|writing|trying) )?(?:here(?:'s| is| are)|this|these|the following|below|above|attached|see) /i,
  /(?:^|(?<!\bto) )please (?!my\b|our\b|the\b)\p{Ll}/iu,
  /^(?:and |but |so |then )*(?:let's|let us|here(?:'s| is| are)) /i,
  NEXT_STEP,
  OF_DRAFTS,
  /^(?:when|whenever|every time|each time) [^,]{3,120}, (?:please )?(?:use|return|call|set|add|remove|print|show|skip|throw|log|raise|do not|don't|make|write|go)\b/i,
  // Of what others are to do.
  /^(?:I|we)(?: [a-z]+ly| also| do| just)* (?:want|prefer|expect|demand|insist|need|like|require)s? (?:that|it when|(?:all |every |any |the |my |our )?(?:assistants?|AIs?|chatbots?|bots?|models?|agents?|everyone|everybody|anyone|others))\b/,
  /\b(?:in|of) (?:my|our|this|the) (?:examples?|exercise|snippet|script)\b/i,
  /^my (?:[\p{L}-]{1,20} )?(?:function|script|query|loop|method|component|regex|formula|array|string|variable|columns?|macro|snippet|meme|caption) (?:is|are|has|have|doesn't|don't|won't|keeps|returns?|takes?|works?|fails|throws|prints|outputs?|runs|matches|crashes|needs?|gives?|uses|gets|expects|contains?) /iu,
  // A line of somebody else's talk: "neighbour: I live in Minsk".
  /^(?!(?:I|[Ww]e|[Mm]y|[Oo]ur)\b)[\p{L}\p{N}' -]{1,30}:(?:\s|$)/u,
  /\b(?:here(?:'s| is| are)|the following|as follows|looks? like this)$/i,
];

/** Whether a clause tells the assistant what to do, or what the user wants to be told. */
export function isErrand(clause: string): boolean {
  return ERRANDS.some((pattern) => pattern.test(clause));
}

/** A habit or a state that lasts says more than the same words said once. */
const LASTING =
  /\b(?:every|each|usually|always|often|never|rarely|seldom|regularly|typically|daily|weekly|since|(?:one|some) ?day|for (?:years|months|weeks|\d+|two|three|four|five))\b|^I (?:only |mostly )?(?:take|drink|eat|wear|cook|sleep|drive) /i;
const HABIT = /^(?:I|we) (?:never|always|usually|rarely|seldom) \p{L}/u;
/** What comes again and again, and what is worked towards, is worth keeping in few words. */
const HABIT_OR_GOAL =
  /^(?:I|we) (?:would (?:like|love)|want|hope|aim|intend) to (?:learn|quit|become|retire|travel|visit|move|adopt|live (?:in|on|near|by|with|abroad)|own|lose|get married|have (?:kids|children)) (?!(?:it|this|that|how|more|about|what|why)\b)|\bevery (?:other|second|third|fourth|single|day|week|weekend|month|morning|evening|night|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b|^(?:I|we) (?:am|are|have been) (?:trying|hoping|planning|learning|training|working) (?:to (?:learn|quit|lose|gain|stop|save|cut|reduce|eat|sleep|drink|exercise|run|train|become|buy|sell|adopt|move)|for) (?!(?:it|this|that|how)\b)/i;
/** Who and what belongs to a life rather than to a task. */
const OWN_LIFE =
  /^(?:my|our) (?:(?!code\b)[\p{Ll}-]{2,15} )?(?:doctor|gp|dentist|physio(?:therapist)?|therapist|psychiatrist|psychologist|surgeon|midwife|nutritionist|dietitian|trainer|vet|lawyer|accountant|landlord|landlady|teacher|tutor|professor|supervisor|advisor|coach|boss|manager|team|company|employer|school|university|church|neighbou?rs?|husband|wife|partner|girlfriend|boyfriend|fianc[eé]e?|mother|mom|mum|father|dad|parents|brothers?|sisters?|sons?|daughters?|kids|children|grandparents|grandmother|grandfather|hair|skin|eyesight|vision|hearing|memory|voice|budget|schedule|commute|shifts?|lease|rent|salary|income|mortgage|job|diet|accent|handwriting|garden|kitchen|oven|house|flat|apartment|room|bedroom|balcony|bank|insurer|insurance|gym|pharmacy|carrier|street|town|village)(?:'s)? (?!$)/iu;
const NUMBER = /\d/;
const NAME = /(?<=\S )(?!I\b)\p{Lu}[\p{L}\p{N}'-]+/gu;

/** How much a clause says: its words beside small talk and talk of the task; numbers and names count twice. */
function weightOf(clause: string): number {
  const names = clause.match(NAME)?.length ?? 0;
  return (
    contentWords(clause.replaceAll(TASK_WORDS, '')) +
    Math.min(names, 2) +
    Number(NUMBER.test(clause)) +
    Number(LASTING.test(clause)) +
    Number(HABIT.test(clause)) +
    2 * Number(HABIT_OR_GOAL.test(clause)) +
    2 * Number(OWN_LIFE.test(clause) && !PASSING_STATE.test(clause))
  );
}

const NOUNLIKE_VERB =
  /\b(?:leaves|starts|ends|departs|lands|arrives|opens|closes|runs|works|plays|flies|lives|loves|hates|studies|needs|costs|takes|comes|goes|hurts) (?:on|at|in|from|to|by|for|with|around|about|after|before|until|\d)/;

/** "My background in statistics" states nothing without a verb. */
function isFragment(clause: string): boolean {
  if (!/^(?:my|our)\s/i.test(clause)) return false;
  // "Ships a release" and "leaves on Thursday" are taken for things.
  if (/\p{L}s (?:an?|the|my|our|every|each)\s/u.test(clause) || NOUNLIKE_VERB.test(clause)) return false;
  return !tagWords(clause).some(({ tags }) => tags.has('Verb') && !tags.has('Gerund'));
}

/**
 * Whether a clause that no rule reads states something of its speaker that is worth keeping as it was said: it speaks
 * of them, says enough, and is not what they want to be told.
 */
export function statesSomething(clause: string): boolean {
  return (
    FIRST_PERSON.test(clause) && !isErrand(clause) && weightOf(clause) >= MIN_WORDS && !isFragment(clause)
  );
}
