/**
 * Words that say nothing by themselves: function words, and the praise, feelings and hedges of small talk.
 * A clause must have others to be worth keeping.
 */
const EMPTY = new Set(
  `a about absolutely actually after again ago agree all almost alone along already also although always am amazing an and another any
  anymore anything anyway appreciate appreciated are aren't around as at awesome awful back bad be beautiful because been before
  being believe best better bet big bit both but by bye call came can can't cannot cause chat cheer chill come comes coming congrats
  congratulations cool could couldn't crazy cute day days deal definitely did didn't do does doesn't doing don't done down each else
  enough especially even ever every everyone everything exactly excited exciting experience fab fabulous fact fantastic far feel feeling feels felt few
  fine first for forward from fun funny gave get gets getting give gives glad go goes going gonna good got gotta great guess had happen
  happened happy hard has have haven't having he hear heard hello help helpful helps her here here's hey hi him his hope hoping how however i
  i'll i'm i've if impressive in incredible indeed inspiring interesting into is isn't it it'll it's its itself just keep keeping kind kinda knew know
  last lately least let let's life like likes little long look looked looking looks lot lots love loved lovely loves loving luck lucky made
  make makes making man many matter matters may maybe me mean means meant might mind mine moment moments more most much must my
  myself need needs never new next nice no none not nothing now of off oh ok okay on once one ones only or other others our out over own part
  people perfect place point powerful pretty probably proud put quite rather ready real really reason relate remember rewarding right
  said same saw say saying says see seeing seem seems seen sense she should show shows so some somebody someone something sometimes soon sorry sort sound sounds
  special start still stuff such super sure surprised sweet take takes taking talk tell than thank thankful thanks that that's the their them
  then there there's these they thing things think thinking this those though thought thoughts through time times to today together told
  too took totally touching tough tried true truly try trying up us used usually very wait wanna want wanted wants was wasn't way we
  we'll we're we've well went were what what's whatever when where which while who whole why will wish with without won't wonderful
  words work worked works world worth would wouldn't wow yeah year years yep yes yet you you'll you're you've your yours
  since huh eh ha hah haha hehe ah aww lol woah whoa omg oops ugh yay woohoo chat chatted talked spoke story stories share care`.split(
    /\s+/,
  ),
);

/** How many of a clause's words say something. */
export function contentWords(clause: string): number {
  let count = 0;
  for (const match of clause.matchAll(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu)) {
    if (!EMPTY.has(match[0].toLowerCase().replace(/['’](?:s|re|ve|ll|d|m)$/, ''))) count += 1;
  }
  return count;
}

const FIRST_PERSON = /\b(?:I|[Mm]y|[Mm]e|[Mm]yself|[Mm]ine|[Ww]e|[Oo]ur|[Oo]urs|us|ourselves)\b/;

/** Thanks, wishes, encouragement and requests, whatever they name: they hold a conversation together. */
const NOISE: readonly RegExp[] = [
  /^(?:please |just |so |and |but |always |also )*(?:thanks|thank|appreciate|congrats|congratulations|wishing|wish|keep|let's|let|have (?:a|fun)|take|check|look at|look out|cheers|hope|hopefully|hoping (?:it|that|you)|can't (?:wait|go wrong)|cannot wait|bye|talk|catch|see you|stay|enjoy|cherish|remember|don't|do not|never (?:give|stop|forget)|believe|chase|push|hang|make sure|feel free|go for|let me|good (?:luck|job|on|for|idea|call|point)|well done|way to|no (?:problem|worries|doubt|way|need)|what an?|how \p{L}+ (?:is|are|of)|same here|me too|sorry|glad to|happy to|nice to|great to (?:hear|see|chat|talk)|bet|care to|want to|wanna)\b/iu,
  /\b(?:let's|each other|one another|together we|keep (?:it up|going|pushing|me posted|at it)|talk to|talk (?:soon|later)|catch up|take care|long time|thanks|thank|kind words|encouraging words|(?:mean|means|meant) (?:a lot|so much|the world|everything)|got this|in touch|here for|got your back|right by your side|(?:keen|eager|excited|curious|dying) to (?:hear|know)|can't wait to (?:hear|see (?:what|how|it))|I can(?:'t| only)? imagine)\b/i,
];

/** Praise and sympathy for what somebody else told. */
const REACTIONS: readonly RegExp[] = [
  /^(?:that|those|this|these)(?:'s| is| are| was| were| sounds?| looks?| must| has)(?: really| so| such| super| very| pretty| truly| too| quite| just| definitely| totally| a| an| always| been| great to| to)* (?:good|great|nice|cool|awesome|amazing|wonderful|lovely|sweet|beautiful|gorgeous|stunning|cute|fun|funny|fantastic|incredible|impressive|inspiring|perfect|true|right|tough|hard|sad|exciting|interesting|adorable|delicious|yummy|relaxing|rough)\b/i,
  /^(?:that|those|this|these) (?:\S+ ){1,4}(?:sounds?|looks?|seems?|must be|is (?:so |really |super |very )*(?:cool|great|awesome|amazing|beautiful|gorgeous|adorable|stunning|lovely|cute|nice))\b/i,
  /^(?:sounds?|looks?|seems?|glad|nice|great|here(?:'s| is| are)|always|such|so (?:cool|glad|happy|proud|great|nice|sweet|true|excited for)|love (?:that|your|the|this)|loving (?:that|your|the|this)|any|anything)\b/i,
  /\b(?:we (?:all|can|should|need|must|got|will)|proud of|agree|(?:glad|happy|sorry|good|great|nice|awesome|lovely|cool|sad) to (?:hear|see|know)|your?)\b/i,
];

/**
 * How much a clause tells: `own` when it speaks of its speaker's life, `about` when it goes on about something
 * else, `reaction` when it answers what somebody else told. Null for small talk.
 */
export type Telling = 'own' | 'about' | 'reaction';

/**
 * Whether a clause tells anything, by the words it has beside small talk. One such word is enough where it
 * answers a question (`answers`): "Five years already".
 */
export function tellingOf(clause: string, answers: boolean): Telling | null {
  const content = contentWords(clause);
  if (content === 0 || NOISE.some((pattern) => pattern.test(clause))) return null;
  if (REACTIONS.some((pattern) => pattern.test(clause))) return content >= 3 ? 'reaction' : null;
  if (FIRST_PERSON.test(clause)) return content >= 2 ? 'own' : 'about';
  // "Super stoked." is only worth keeping as an answer.
  return answers || (content >= 2 && clause.split(' ').length > 2) ? 'about' : null;
}
