import { when, type Rule } from './rule.ts';

/** Tastes, habits and abilities. */
export const preferenceRules: readonly Rule[] = [
  {
    category: 'preference',
    key: 'favourite_{thing}',
    when: when(
      "{my} (?:all[- ]time |absolute |current )?favou?rite (?<thing>[\\p{L} -]{2,40}?)(?: is|'s| are| has always been| has to be| would be) (?:probably |definitely |still )?(?<value>.+)",
    ),
  },
  {
    category: 'preference',
    key: 'favourite_{thing}',
    when: when(
      '(?<value>[\\p{Lu}\\d][^,;]{1,60}) (?:is|are) {my} (?:all[- ]time |absolute )?favou?rite (?<thing>[\\p{L} -]{2,40})$',
    ),
  },
  { category: 'preference', when: when('{i} would {adv}(?:much )?rather .+ than .+') },
  {
    category: 'preference',
    when: when('{i} would {adv}(?:much )?{rather}.*'),
  },
  {
    category: 'preference',
    when: when(
      '{i} can only (?:work(?: out)?|train|exercise|meet|travel|talk|study|come|attend|practi[cs]e) (?:.* )?(?:on|after|before|between|until|in the|at|during) .+',
    ),
  },
  {
    category: 'preference',
    when: when('I {adv}(?:prefer|favou?r) .+ (?:to|over|than|instead of|rather than) .+'),
  },
  {
    category: 'preference',
    key: 'taste_{value}',
    soft: true,
    value: 'likes',
    when: when("I {adv}(?:like|enjoy) (?!to\\b|when\\b|{pointed})(?<value>[\\p{L}\\d' -]{2,40})$"),
  },
  {
    category: 'preference',
    key: 'taste_{value}',
    soft: true,
    value: 'loves',
    when: when(
      "I {adv}(?:love|adore|am obsessed with|am crazy about) (?!to\\b|when\\b|{pointed})(?<value>[\\p{L}\\d' -]{2,40})$",
    ),
  },
  {
    category: 'preference',
    key: 'taste_{value}',
    soft: true,
    value: 'prefers',
    when: when("I {adv}prefer (?!to\\b)(?<value>[\\p{L}\\d' -]{2,40})$"),
  },
  {
    category: 'preference',
    key: 'taste_{value}',
    soft: true,
    value: 'dislikes',
    when: when(
      "I {adv}(?:hate|dislike|despise|can't stand|cannot stand|loathe) (?!to\\b|when\\b|{pointed})(?<value>{thing})$",
    ),
  },
  {
    category: 'preference',
    when: when(
      '{i} {adv}{not} {adv}(?:eat|drink|drive|swim|cook|fly|own|use|like|enjoy|speak|watch|work|live|wear|celebrate|tolerate|stand|smoke|play|have (?:any |an? )?(?:kids|children|siblings|pets?|car|dog|cat|tv|licen[cs]e|brothers?|sisters?))\\b.*',
    ),
  },
  {
    category: 'preference',
    when: when(
      "{i} {adv}(?:like|love|enjoy|prefer|hate|dislike|adore|loathe|can't stand|cannot stand|favou?r|despise|miss) (?!when\\b)\\S+",
    ),
  },
  {
    category: 'preference',
    when: when(
      '{i} (?:am|are|have been) {adv}(?:an? (?:huge |big |massive |great )?fan of|into|fond of|interested in|passionate about|obsessed with|crazy about|afraid of|scared of|terrified of|(?:good|great|bad|terrible|hopeless) (?:at|with)|keen on|addicted to) (?!it\\b|that\\b|this\\b)\\S+',
    ),
  },
  {
    category: 'preference',
    when: when(
      "{my} (?:[\\p{L}-]+ )?(?:hobby|hobbies|interests?|passions?|pet peeves?|guilty pleasure|go-to [\\p{L} ]{2,20}|dream (?:job|car|house|destination)|taste in [\\p{L}]+)(?: is| are|'s| include[s]?) .+",
    ),
  },
  {
    category: 'preference',
    when: when(
      '{i} {adv}(?:play|practi[cs]e|paint|draw|sing|dance|cook|bake|garden|knit|crochet|sew|climb|surf|ski|snowboard|skate|swim|run|jog|hike|cycle|bike|camp|fish|sail|row|collect|write|volunteer|meditate|do (?:yoga|pilates|karate|judo|crossfit|ballet|pottery|woodworking|photography|martial arts)|go (?:to (?:the |my )?(?:gym|church|mosque|synagogue|temple|yoga|therapy)|running|hiking|swimming|climbing|camping|fishing|dancing|surfing|skiing|biking|cycling|jogging|kayaking)|attend|wake up|get up|go to bed|sleep|commute|eat|drink|read(?!.*\\b(?:19|20)\\d\\d$)|watch|listen to|follow|support|train|work out|exercise|lift weights|ride|teach|coach|wear|cannot eat|meet)\\b .+',
    ),
  },
  {
    category: 'preference',
    when: when(
      "{i} (?:can|cannot|can't|know how to) {adv}(?:eat|drink|drive|swim|speak|play|ride|cook|ski|sing|dance|knit|sew|bake|paint|juggle)\\b.*",
    ),
  },
  {
    category: 'preference',
    when: when(
      '{i} (?:usually|always|mostly|often|never|typically|normally) (?:have|eat|skip|make|cook|take) .*\\b(?:breakfast|lunch|dinner|supper)\\b',
    ),
  },
  { category: 'preference', when: when('{i} {adv}\\p{Ll}+ .* (?:as a|for a) hobby\\b') },
  {
    category: 'identity',
    when: when(
      'I have {adv}(?:(?:very|quite|really) )?(?:small|big|large|long|short|curly|straight|frizzy|dry|oily|sensitive|pale|dark|thin|thick|fine|wide|narrow|flat|blue|brown|green|hazel|red|blond|gr[ae]y|black) (?:hands?|feet|hair|skin|eyes|legs|arms|fingers|shoulders|torso)\\b',
    ),
  },
  // Wishes for every reply, in the form that wish-forms.ts gives them.
  { category: 'preference', when: when('I ask(?:, .{3,120},)?(?: the assistant)? (?:not )?to \\p{L}+ .+') },
  { category: 'preference', when: when('I (?:\\p{Ll}+ ){1,4}it when the assistant .+') },
  { category: 'preference', when: when('I want the assistant (?:not )?to .+') },
  { category: 'preference', when: when('I ask for no .+') },
  {
    category: 'preference',
    when: when(
      'I (?:want|need|prefer|like) (?:(?:all|any|every|each|short|brief|long|detailed|simple|concise|direct) )?(?:repl(?:y|ies)|answers?|responses?|messages?|explanations?)(?:$| (?:to|that|I|with|without|in) .+)',
    ),
  },
  {
    category: 'preference',
    when: when('I (?:learn|work|study|focus|concentrate|think|sleep|function) (?:best|better|worst) .+'),
  },
  {
    category: 'preference',
    when: when(
      'I only (?:work|eat|drink|wear|read|shop|travel|fly|drive|cook|sleep|buy|speak|watch|play) .+',
    ),
  },
  {
    category: 'preference',
    when: when('(?:[Ww]hen(?:ever)?|[Ii]f) (?:I|we) .{3,80}, (?:it|that) (?:always |usually )?means .+'),
  },
  {
    category: 'preference',
    when: when(
      '(?:[Bb]y|[Ww]ith|[Ww]hen(?:ever)?|[Ii]f) (?!(?:that|this|it|which)\\b).{2,80} (?:I|we) (?:always |usually |generally )?mean .+',
    ),
  },
  { category: 'preference', when: when('{i} used to [\\p{L}]+ .+') },
];
