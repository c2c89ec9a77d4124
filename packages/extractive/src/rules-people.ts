import { when, type Rule } from './rule.ts';

/** People and animals in the speaker's life. */
export const peopleRules: readonly Rule[] = [
  {
    category: 'relationship',
    key: 'partner',
    when: when(
      "{my} (?:wife|husband|spouse|partner|girlfriend|boyfriend|fianc[eé]e?)(?:'s name is| is called| is named| is) (?<value>{name})$",
    ),
  },
  {
    category: 'relationship',
    key: 'partner',
    when: when('I am {adv}(?:married|engaged) to (?!an? |the |my )(?<value>{name})'),
  },
  {
    category: 'relationship',
    key: 'relationship_status',
    value: 'married',
    when: when('{i} {adv}(?:got|are|have been|have|am) {adv}(?:married|been married)\\b'),
  },
  {
    category: 'relationship',
    key: 'relationship_status',
    value: 'divorced',
    when: when('{i} {adv}(?:got|have) {adv}(?:divorced|separated)\\b'),
  },
  {
    category: 'relationship',
    key: 'relationship_status',
    value: 'engaged',
    when: when('{i} {adv}(?:got|are|have got) {adv}engaged\\b'),
  },
  {
    category: 'relationship',
    key: '{relation}_{value}',
    value: '{value}',
    when: when("{my} (?<relation>{relation})(?:'s name is| is called| is named| goes by) (?<value>{name})"),
  },
  {
    category: 'relationship',
    key: '{relation}_{value}',
    value: '{value}',
    when: when('{my} (?<relation>{relation}) is (?<value>{name})$'),
  },
  {
    category: 'relationship',
    key: '{relation}_{value}',
    value: '{value}',
    when: when(
      '{i} have (?:an? )(?<relation>{relation})(?:,)? (?:called|named|whose name is) (?<value>{name})',
    ),
  },
  {
    category: 'relationship',
    when: when(
      '{i} {adv}(?:share|have|got|lost|was granted) (?:sole |joint |full |shared |primary )?custody\\b',
    ),
  },
  {
    category: 'relationship',
    key: 'household',
    content: "{speaker}'s household is a {value}.",
    when: when('we are {adv}an? (?<value>(?:family|household|couple) (?:of|with) .+)'),
  },
  { category: 'relationship', when: when('{i} {adv}have {count} (?:[\\p{L}-]+ ){0,2}{relation}\\b') },
  {
    category: 'relationship',
    when: when(
      '{i} {adv}have (?:[\\p{L}-]+ )?(?:twins|twin (?:boys|girls|sons|daughters)|triplets|kids|children|siblings|grandchildren)\\b',
    ),
  },
  {
    category: 'relationship',
    key: 'pet_{name}',
    value: '{value}',
    when: when(
      "{my} (?<value>(?:[\\p{L}-]+ )?{pet})(?:'s name is| is called| is named|'s called) (?<name>{name})",
    ),
  },
  {
    category: 'relationship',
    key: 'pet_{name}',
    value: '{value}',
    when: when(
      '{i} (?:have|own|adopted|got|have adopted|have got|rescued|bought) (?:an?|my|our) (?<value>(?:[\\p{L}-]+ ){0,3}?{pet})(?:,)? (?:called|named|whose name is) (?<name>{name})',
    ),
  },
  {
    category: 'relationship',
    when: when(
      '{i} {adv}(?:have|own|keep|adopted|got|rescued|foster|have adopted) (?:{count}|my|our) (?:[\\p{L}-]+ ){0,3}{pet}\\b',
    ),
  },
  {
    category: 'relationship',
    when: when("{my} (?:[\\p{L}-]+ )?{pet}(?:'s)?,? (?:{name},? )?(?!(?:and|or|of)\\b)[\\p{L}']+"),
  },
  {
    category: 'relationship',
    when: when(
      "{my} {relation}(?:'s [\\p{L}-]+)?,?(?: {name},?)?(?: and (?:I|my [\\p{L}-]+|{name}))? (?!(?:of|says|said|asked|told|wants to know|thinks|and|or)\\b)[\\p{L}']+ .+",
    ),
  },
  {
    category: 'relationship',
    when: when(
      '{i} {adv}(?:am|are) {adv}(?:friends|married|engaged|related|dating|a (?:mother|father|mom|dad|mum|parent|grandmother|grandfather|grandma|grandpa|single mom|single dad|single parent))\\b',
    ),
  },
  {
    category: 'relationship',
    when: when(
      '{i} {adv}(?:am|are|have been|started) (?:dating|seeing|together with|living with|pregnant|expecting)\\b',
    ),
  },
];
