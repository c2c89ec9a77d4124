import { when, type Rule } from './rule.ts';

/** Who the speaker is, where they live and come from. */
export const identityRules: readonly Rule[] = [
  {
    category: 'identity',
    key: 'name',
    content: "{speaker}'s name is {value}.",
    when: when(
      "{my} (?:(?:full|first|real) )?name(?: is|'s) (?!(?:not|the|an?|on|in|very|too|so|just|spelled|pronounced|hard)\\b)(?<value>\\p{L}[\\p{L}'’-]+(?: \\p{Lu}[\\p{L}'’-]+){0,2})",
    ),
  },
  {
    category: 'identity',
    key: 'name',
    content: "{speaker}'s name is {value}.",
    when: when(
      '(?:I go by|I am called|people call me|(?:everyone|everybody) calls me|[Cc]all me) (?<value>{name})',
    ),
  },
  {
    category: 'identity',
    key: 'pronouns',
    value: '{value}',
    content: "{speaker}'s pronouns are {value}.",
    when: when('{my} pronouns are (?<value>\\p{L}+(?:(?:/|, | and )\\p{L}+){0,3})'),
  },
  {
    category: 'identity',
    key: 'nickname',
    when: when("{my} (?:nickname|friends call me)(?: is|'s)? (?<value>{name})"),
  },
  {
    category: 'identity',
    key: 'age',
    value: '{value}',
    content: '{speaker} is {value} years old.',
    when: when(
      'I (?:am|turned|just turned|have turned) (?<value>1?\\d{1,2})(?: years old| years of age| yrs old| yo| y/o)?(?:$|[ ,])(?!(?:minutes?|hours?|days?|weeks?|months?|years|percent|%|km|miles|cm|feet|kg|pounds|steps))',
    ),
  },
  {
    category: 'identity',
    key: 'age',
    content: '{speaker} is {value} years old.',
    when: when('{my} age is (?<value>1?\\d{1,2})'),
  },
  {
    category: 'identity',
    key: 'birthday',
    when: when("{my} birthday(?: is|'s) (?:on |in )?(?:the )?(?<value>[\\p{L}\\d][\\p{L}\\d, ]{2,30})"),
    trim: false,
  },
  {
    category: 'identity',
    key: 'birthday',
    when: when('I was born on (?:the )?(?<value>[\\p{L}\\d][\\p{L}\\d, ]{2,30})'),
    trim: false,
  },
  {
    category: 'identity',
    key: 'birth_year',
    when: when('I was born in (?<value>(?:19|20)\\d\\d)'),
    also: true,
  },
  {
    category: 'identity',
    key: 'birthplace',
    content: '{speaker} was born in {value}.',
    when: when('I was born (?:and raised )?in (?:(?:19|20)\\d\\d in )?(?<value>\\p{Lu}.+)'),
  },
  {
    category: 'identity',
    key: 'birthplace',
    when: when('I (?:come|am {adv}(?:coming )?) ?(?:originally )?from (?<value>(?:the )?\\p{Lu}.+)'),
  },
  {
    category: 'identity',
    key: 'hometown',
    when: when('I {adv}(?:grew up|was raised|was brought up) in (?<value>.+)'),
  },
  { category: 'identity', key: 'hometown', when: when("{my} home ?town(?: is|'s) (?<value>.+)") },
  {
    category: 'identity',
    key: 'home',
    when: when(
      '{i} {adv}(?:live|have lived|have been living|am living|are living|reside|am based|are based|am located) {adv}(?:in|at|near|outside|close to) (?<value>(?!my\\b|our\\b).+)',
    ),
  },
  {
    category: 'identity',
    key: 'home',
    said: 'I live in {value}; moved there{after}',
    when: when(
      '{i} (?:have )?{adv}(?:moved|relocated|have moved|emigrated|immigrated)(?: here| back| over)? to (?<value>(?!my\\b|our\\b|an?\\b).+)',
    ),
  },
  {
    category: 'identity',
    key: 'home',
    when: when(
      '{i} used to live .+? but now {i} (?:live|am|are|am living|are living) (?:in|near) (?<value>\\p{Lu}.+)',
    ),
  },
  { category: 'identity', when: when('{i} used to live .+') },
  {
    category: 'identity',
    when: when(
      '{i} {adv}(?:live|have lived|have been living|am living|are living|share a (?:flat|house|room|home)) (?:with|alone|on|by|off|together)\\b.*',
    ),
  },
  { category: 'identity', key: 'nationality', when: when('I am {adv}(?<value>(?:half[- ])?{nationality})$') },
  { category: 'identity', key: 'nationality', when: when("{my} nationality(?: is|'s) (?<value>.+)") },
  {
    category: 'identity',
    key: 'religion',
    when: when(
      'I am {adv}(?:an? )?(?<value>Catholic|Christian|Muslim|Jewish|Buddhist|Hindu|Sikh|atheist|agnostic|Protestant|Mormon|Quaker)\\b',
    ),
  },
  {
    category: 'identity',
    key: 'name',
    also: true,
    content: "{speaker}'s name is {value}.",
    when: when(
      '(?:I am|[Tt]his is) (?!(?:Sorry|Fine|Happy|Ok|OK|Okay|Back|Glad|Good|Here|Not|A|An|The|In|At|On|From|New|Also|Just|Very|So|Sure|Ready|All|Team|{nationality})\\b)(?<value>{name})(?:$|,| from\\b)',
    ),
  },
  {
    category: 'identity',
    key: 'age',
    content: '{speaker} is {value} years old.',
    when: when('I am {name}, (?:and )?(?:I am )?(?<value>1?\\d{2})(?:$|,| years)'),
  },
  { category: 'identity', key: 'pronouns', when: when("{my} pronouns(?: are|'re) (?<value>.+)") },
  { category: 'identity', key: 'time_zone', when: when("{my} time ?zone(?: is|'s) (?<value>.+)") },
  {
    category: 'identity',
    key: 'height',
    when: when('I am (?<value>\\d(?:\\.\\d+)? ?(?:m|cm|ft|feet|meters|metres)|\\d{3} ?cm)(?: tall)?'),
    trim: false,
  },
  {
    category: 'identity',
    key: 'native_language',
    when: when("{my} (?:native|first|mother) (?:language|tongue)(?: is|'s) (?<value>.+)"),
  },
  {
    category: 'identity',
    key: 'language_{value}',
    value: 'speaks',
    each: true,
    content: '{speaker} speaks {value}.',
    when: when('I {adv}speak (?<value>.+)'),
  },
  {
    category: 'identity',
    key: 'language_{value}',
    value: 'speaks',
    each: true,
    content: '{speaker} speaks {value}.',
    when: when('I am {adv}(?:fluent|bilingual|native|conversational) in (?<value>.+)'),
  },
  {
    category: 'identity',
    key: 'relationship_status',
    when: when('I am {adv}(?<value>married|single|divorced|separated|widowed|engaged)\\b'),
  },
];

/** What remains of "I am …", after occupations were read. */
export const selfDescriptionRules: readonly Rule[] = [
  { category: 'identity', when: when('I am {adv}new to (?!(?:this|that|it|here|the|all|you)\\b)\\p{L}{3,}') },
  { category: 'identity', when: when('I am {adv}adopted$') },
  {
    category: 'identity',
    when: when(
      "\\p{Lu}\\p{L}+ (?:is|was|isn't|wasn't) (?:not )?my (?:first|second|third|fourth|native|mother) (?:language|tongue)",
    ),
  },
  {
    category: 'identity',
    when: when(
      'I am {adv}(?:an? |the )(?!(?:{diet}|bit|little|lot|few|huge fan|big fan|fan|while|moment|mess|part of|one)\\b)[\\p{L}-]+',
    ),
  },
  {
    category: 'identity',
    when: when(
      'I am {adv}(?:left-handed|right-handed|colou?r[ -]?blind|deaf|blind|dyslexic|autistic|bisexual|gay|lesbian|transgender|trans|non-binary|queer|straight|introverted|extroverted|bilingual|tall|short)\\b',
    ),
  },
];
