import { when, type Rule } from './rule.ts';

/** What the speaker owns and uses. */
export const possessionRules: readonly Rule[] = [
  {
    category: 'possession',
    key: 'email',
    when: when('{my} e-?mail(?: address)? is (?<value>\\S+)'),
    trim: false,
  },
  {
    category: 'possession',
    when: when(
      "{my} (?:[\\p{L}\\d-]+ ){0,2}(?:car|bike|bicycle|motorbike|motorcycle|truck|van|boat|laptop|computer|phone|camera|guitar|piano|house|flat|apartment|garden|tablet|editor|IDE|browser|keyboard|setup|watch|headphones|shoes|operating system)(?: is| has|'s| runs| was| are) .+",
    ),
  },
  {
    category: 'possession',
    when: when('{i} {adv}(?:drive|own|ride|collect|wear|have bought|am using .+ as) .+'),
  },
  { category: 'possession', when: when('{i} {adv}use (?!to\\b)\\S+.*') },
  {
    category: 'possession',
    when: when(
      '{i} {adv}do (?:all |most |all of |most of )?{my} (?:[\\p{L}-]+ )?(?:coding|programming|development|writing|editing|drawing|designs?|note-taking|budgeting|bookkeeping|research) (?:in|on|with|using) .+',
    ),
  },
  {
    category: 'possession',
    when: when(
      '{i} (?!.*\\b(?:question|problem|issue|idea|feeling|doubt|task|request|meeting|time|fun|chance|look|favou?r|point|plan|headache|cold|fever|moment|minute|blast|great|good|hard|tough|break|bit)\\b){adv}(?:have|own) (?:an?|two|three|four|five|six|\\d+|my own|lots of|many|several) [\\p{L}\\d-]+',
    ),
  },
];
