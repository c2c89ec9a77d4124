import { when, type Rule } from './rule.ts';

/** Occupation, employer, education. */
export const workRules: readonly Rule[] = [
  {
    category: 'work',
    key: 'job',
    also: true,
    when: when(
      'I {adv}(?:work|have worked|have been working|am working|am employed|freelance|started working|got a job|started) as (?:an? |the )?(?<value>.+)',
    ),
  },
  {
    category: 'work',
    key: 'job',
    also: true,
    when: when('I am (?:now )?(?:an? |the )(?<value>(?:[\\p{L}-]+ ){0,3}{occupation})\\b'),
  },
  {
    category: 'work',
    key: 'job',
    when: when('{my} (?:job|profession|occupation|job title|role) is (?:being )?(?:an? |the )?(?<value>.+)'),
  },
  {
    category: 'work',
    key: 'job',
    when: when('I am {adv}(?<value>retired|unemployed|self-employed|freelancing|between jobs)\\b'),
  },
  {
    category: 'work',
    key: 'employer',
    content: '{speaker} works at {value}.',
    when: when(
      'I (?:.{0,60} )?(?:engineer|developer|nurse|doctor|teacher|manager|designer|director|CEO|CTO|CFO|founder|consultant|analyst|scientist|researcher|as [^,]{3,40}) (?:at|of|for|with) (?<value>(?:the )?\\p{Lu}.*?)(?: in .+)?$',
    ),
  },
  {
    category: 'work',
    key: 'employer',
    when: when(
      'I {adv}(?:work|am working|have been working|have worked|am employed) {adv}(?:at|for|with) (?<value>(?!my\\b|myself\\b|an?\\b|the (?:first|last|same)\\b|\\d).+?)(?: in .+)?$',
    ),
  },
  {
    category: 'work',
    key: 'employer',
    when: when(
      'I (?:have )?{adv}(?:joined|got hired (?:at|by)|was hired (?:at|by)|started (?:working )?at|got a (?:new )?job (?:at|with)|started a new job (?:at|with)) (?<value>\\p{Lu}.*?)(?: in .+)?$',
    ),
  },
  {
    category: 'work',
    key: 'employer',
    when: when('{my} (?:employer|company) is (?:called |(?=\\p{Lu}))(?<value>.+)'),
  },
  {
    category: 'work',
    when: when(
      'I {adv}(?:work|am working|have been working) (?:in|on|at|for|from|with|part|full|nights?|remotely|freelance|shifts|two|three|\\d)',
    ),
  },
  {
    category: 'work',
    when: when(
      'I {adv}(?:run|own|manage|lead|founded|started|have|opened|teach|coach|am starting|am opening|have started) (?:an? |my (?:own )?|the |our )?(?:[\\p{L}-]+ ){0,3}(?:business|company|shop|store|studio|bakery|café|cafe|restaurant|startup|start-up|agency|firm|practice|farm|brand|clinic|salon|team|department|classes|students|children|maths?|English|history|biology|yoga|piano)\\b',
    ),
  },
  {
    category: 'work',
    key: 'studies',
    when: when(
      "I {adv}(?:study|am studying|major in|am majoring in|am doing (?:a|my) (?:degree|PhD|master'?s|bachelor'?s) in) (?<value>(?!for (?:an?|the|my) ).+)",
    ),
  },
  {
    category: 'work',
    when: when(
      'I am {adv}(?:an? |in my )(?:[\\p{L}\\d-]+ ){0,3}(?:student|undergraduate|freshman|sophomore|junior|senior|PhD candidate|year (?:of|at))\\b',
    ),
  },
  {
    category: 'work',
    when: when(
      "I {adv}(?:have|got|hold|finished|completed|earned) (?:an? |my )(?:[\\p{L}'-]+ ){0,2}(?:degree|diploma|PhD|doctorate|MBA|certificate|certification|licen[cs]e|master'?s|bachelor'?s)\\b",
    ),
  },
];
