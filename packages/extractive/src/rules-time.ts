import { when, type Rule } from './rule.ts';

const PLAN_VERB =
  '(?:am|are) {adv}(?:planning|going|moving|getting|having|flying|travel+ing|visiting|starting|saving|training|preparing|studying|learning|taking|thinking (?:of|about)|considering|expecting|due|hoping|aiming|about|applying|building|writing|working on|organi[sz]ing|hosting|running|attending|leaving|returning|renovating|launching|opening|looking forward|meeting|joining|performing|competing|adopting|buying|selling|retiring|graduating|doing)';

/** What the speaker intends and decided. */
export const planRules: readonly Rule[] = [
  {
    category: 'plan',
    when: when(
      "{my} (?:[\\p{L}-]+ )?(?:goal|plan|dream|aim|resolution|ambition|wedding|exam|interview|flight|appointment|surgery|trip|vacation|holiday|deadline|graduation|concert|marathon|race|due date|anniversary|next (?:trip|goal|project))s?(?: (?:to|in|with|at|for|on|from) [^,]{2,40}?)?(?: is| are| starts| ends| was|'s| will be) .+",
    ),
  },
  { category: 'plan', when: when(`{i} ${PLAN_VERB} (?:\\S+ ){1,}\\S+`) },
  {
    category: 'plan',
    when: when('{i} {adv}(?:plan|intend|aim|hope|am determined|have plans) (?:to|on) \\S+ .+'),
  },
  {
    category: 'plan',
    when: when(
      '{i} {adv}want to (?:learn|become|visit|move|start|buy|run|write|travel|lose|get|build|find|go to|open|quit|stop|save|improve|live|study|climb|finish|publish|retire|join|adopt|create|train|teach|own|work|volunteer|complete|explore|pass|plant|compete|celebrate|see (?=(?:the )?\\p{Lu}))\\b.*',
    ),
  },
  {
    category: 'plan',
    when: when(
      '{i} (?:have|have got) (?:an?|my) (?:[\\p{L}-]+ ){0,3}(?:appointment|interview|exam|flight|wedding|concert|trip|meeting|surgery|race|marathon|recital|deadline|vacation|holiday|date|game|match|conference|presentation|performance|party) .*(?:\\d{4}|\\d{1,2})',
    ),
  },
  {
    category: 'plan',
    when: when(
      '{i} will {adv}(?:be (?:in|at|visiting|moving|travel+ing|starting|attending|turning|working)|move|start|travel|visit|fly|graduate|retire|marry|turn|join|attend|host|run|leave|finish|return|participate|compete)\\b.+',
    ),
  },
  {
    category: 'plan',
    when: when(
      '{i} {adv}(?:have decided|decided|chose|have chosen|settled|am determined|have committed|committed) (?:to|on|that|against)\\b.+',
    ),
  },
];

/** What the speaker did and lived through; plain past verbs are read by `eventOf`. */
export const eventRules: readonly Rule[] = [
  // "I haven't spoken to my brother for ten years."
  {
    category: 'event',
    when: when(
      "{i} (?:haven't|have not) (?!(?:tried|checked|tested|found|decided|changed|touched|updated)\\b|(?:talked|spoken|chatted|met) (?:in|for|since)\\b)\\p{L}+ (?:.* )?(?:in|for|since) (?:over |more than |almost |the (?:last|past) )?(?:(?:{count}|few|couple of|a few) )?(?:nights|days|weeks|months|years?|decades?|ages|(?:19|20)\\d\\d)\\b",
    ),
  },
  {
    category: 'event',
    when: when('{i} had {my} (?:first|second|third|fourth) (?:child|baby|kid|son|daughter)\\b'),
  },
  {
    category: 'event',
    when: when(
      '{i} {adv}(?:had|have had|am having|got) my (?:[\\p{L}-]+ ){1,3}(?:removed|pulled|taken out|extracted|operated on)\\b',
    ),
  },
  {
    category: 'event',
    when: when(
      '{i} {adv}(?:got|landed|was offered|have got|accepted) (?:the|a new|my dream) (?:job|position|promotion|role|internship|scholarship|apartment|house)\\b',
    ),
  },
  {
    category: 'event',
    when: when(
      '{i} have (?:just |recently |already |always |never |finally |also |both |only |now ){0,2}(?:been (?!thinking|wondering|trying|looking|getting|having|meaning|there|ok|fine|good|great|busy|better|keeping)|(?!been|had|seen|got|heard|tried|found|said|told|asked|done|made sure|noticed|thought|forgotten|read|checked|looked)\\p{L}+(?:ed|en|wn|un|ought|ilt|ung|oke|ade|ome|one|old|ent|ept|elt|et)\\b).+',
    ),
  },
  {
    category: 'event',
    when: when(
      '{i} was (?:an? |the |in |at |on |born |raised |diagnosed |promoted |fired |laid off|hired |elected |invited |selected |accepted |awarded |nominated |working |living |studying )(?!(?:bit|mess|lot|hurry|moment)\\b).*',
    ),
  },
];

/** Past verbs that say nothing about the speaker's life, or belong to the conversation itself. */
export const NOT_EVENTS = new Set(
  `said told asked thought meant wanted tried needed felt knew heard noticed wondered guessed hoped agreed figured
  forgot remembered replied mentioned explained clicked typed entered copied pasted downloaded got had did was were used
  looked checked searched saw read sent kept let put set seemed liked loved preferred hated enjoyed made understood
  realized realised expected called opened closed pressed selected changed updated added removed deleted wrote ran`.split(
    /\s+/,
  ),
);

/** Verbs of the list above that are events when the clause says when. */
export const EVENTS_WITH_DATE = new Set(
  'got had did saw read sent made called opened wrote ran loved enjoyed put set'.split(' '),
);
