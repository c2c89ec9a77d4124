import { when, type Rule } from './rule.ts';

/** Sentences about the speaker's life whose subject is neither the speaker nor simply something of theirs. */
export const otherSubjectRules: readonly Rule[] = [
  // "One of my cats is diabetic."
  {
    category: 'relationship',
    when: when(
      '(?:[Mm]ost|[Nn]one|[Ss]ome|[Aa]ll|[Nn]either|[Ee]ither|[Ee]ach|[Oo]ne|[Tt]wo|[Tt]hree|[Ff]our) of {my} (?:[\\p{L}-]+ ){0,2}?(?:{relation}|{pet}) (?!(?:and|or|asked|says?|said|wants? to know)\\b)\\p{L}+ .*',
    ),
  },
  {
    category: 'relationship',
    when: when('[Tt]here are {count} of us (?:in|at) (?:the|my|our) (?:family|house|household|flat|home)\\b'),
  },
  {
    category: 'event',
    when: when(
      '[Ii]t took (?:me|us) {adv}(?:about |over |nearly )?{count} (?:[\\p{L}-]+ ){0,2}?(?:weeks?|months?|years?|decades?) to \\p{L}+ .+',
    ),
  },
  {
    category: 'event',
    when: when(
      "(?:[Ii]t(?:'s| has)|[Tt]hings have|[Ll]ife has) been (?:\\p{L}+ ){1,4}(?:since|after) (?:my|our) (?!(?:last )?(?:message|question|update|change|edit|commit)\\b)\\p{L}+.*",
    ),
  },
  // "The company I work for makes wind turbines."
  {
    category: 'other',
    when: when(
      '[Tt]he (?:[\\p{L}-]+ )?(?:company|firm|startup|school|university|hospital|church|gym|shop|restaurant|apartment|flat|house|place|town|village|city|neighbou?rhood|street|building|car) (?:that |where |which )?{i} {adv}(?:work|live|study|rent|own|go|attend|moved|drive|bought|teach|grew up|train)(?: (?:for|at|in|to|with|into))? (?!(?:and|or|,)\\b)\\p{L}+ .+',
    ),
  },
  // "The doctor wants to see me again in six weeks."
  {
    category: 'health',
    when: when(
      '(?:[Tt]he|[Mm]y|[Oo]ur) (?:doctor|dentist|surgeon|specialist|physio(?:therapist)?|midwife|dermatologist|cardiologist|hospital|clinic) (?:wants|told|advised|asked|prescribed|diagnosed|put|gave|scheduled|sent) (?:to see )?(?:me|us)\\b.+',
    ),
  },
];
