/**
 * English words that say nothing about the topic of a query: articles, pronouns, prepositions, auxiliaries,
 * question words and polite fillers; also `user`, which begins almost every memory. Names, numbers and content
 * verbs stay.
 */
export const STOPWORDS: ReadonlySet<string> = new Set(
  `a about above after again all also am an and any anything are aren't as at be because been before being below
  between both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each few
  for from further had hadn't has hasn't have haven't having he he'd he'll her here hers herself him himself his how
  i i'd i'll i'm i've if in into is isn't it it'd it'll its itself just let me more most my myself no nor not of off
  on once only or other ought our ours ourselves out over own please same shall shan't she she'd she'll should
  shouldn't so some something such tell than thanks that the their theirs them themselves then there these they
  they'd they'll they're they've this those through to too under until up us user users very was wasn't we we'd we'll we're
  we've were weren't what when where whether which while who whom whose why will with won't would wouldn't yes you
  you'd you'll you're you've your yours yourself yourselves`.split(/\s+/),
);
