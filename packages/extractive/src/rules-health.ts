import { when, type Rule } from './rule.ts';

/** Diet, allergies, conditions. */
export const healthRules: readonly Rule[] = [
  {
    category: 'health',
    key: 'diet',
    when: when(
      'I {adv}(?:am|became|went|turned|have been|have gone|have become|follow|eat|keep) {adv}(?:an? )?(?:strict )?(?<value>{diet})\\b',
    ),
  },
  { category: 'health', key: 'diet', when: when('we {adv}(?:keep|eat|follow) {adv}(?<value>{diet})\\b') },
  {
    category: 'health',
    when: when('{i} {adv}get (?:very |really )?(?:car|sea|air|motion|travel)[ -]?sick\\b'),
  },
  {
    category: 'health',
    key: 'diet',
    content: '{speaker} is {value}.',
    when: when('we are {adv}(?<value>{diet})s?\\b'),
  },
  {
    category: 'health',
    when: when(
      '{i} {adv}(?:get|have|suffer from) (?:[\\p{L}-]+ ){0,2}(?:migraines?|headaches?|heartburn|rash(?:es)?|hives|nosebleeds?|cramps|panic attacks?|(?:car|sea|motion)[ -]?sick(?:ness)?) (?:from|after|when|whenever|on|in|if|because)\\b',
    ),
  },
  {
    category: 'health',
    when: when(
      '{my} (?:(?:left|right|lower|upper|whole) ){0,2}(?:knees?|back|neck|shoulders?|hips?|head|stomach|wrists?|ankles?|feet|foot|eyes?|teeth|tooth|hands?|elbows?|joints?) (?:(?:hurts?|aches?|(?:has|have) been (?:hurting|aching|sore)) (?:after|when|whenever|since|from|every|in|on|for)|(?:is|are) (?:injured|broken|sprained|fractured|torn|dislocated|in an? (?:cast|sling)))\\b',
    ),
  },
  { category: 'health', key: 'diet', when: when("{my} diet(?: is|'s) (?<value>.+)") },
  {
    category: 'health',
    key: 'allergy_{value}',
    value: '{value}',
    each: true,
    content: '{speaker} is allergic to {value}.',
    when: when('I am {adv}allergic to (?<value>.+)'),
  },
  {
    category: 'health',
    key: 'allergy_{value}',
    value: '{value}',
    each: true,
    content: '{speaker} is allergic to {value}.',
    when: when('I have (?:an? )?(?:severe |bad |mild |strong )?allerg(?:y|ies) to (?<value>.+)'),
  },
  {
    category: 'health',
    key: 'allergy_{value}',
    value: '{value}',
    content: '{speaker} has a {value} allergy.',
    when: when(
      'I have (?:an? )?(?:severe |bad |mild |strong )?(?<value>[\\p{L}]+(?: [\\p{L}]+)?) allergy\\b',
    ),
  },
  {
    category: 'health',
    when: when(
      'I {adv}(?:have|have had|suffer from|was diagnosed with|have been diagnosed with|live with|had|got diagnosed with) (?:an? |my |severe |mild |chronic |type [12] |high |low )*(?:diabetes|asthma|migraines?|arthritis|depression|anxiety|ADHD|autism|epilepsy|cancer|blood pressure|cholesterol|insomnia|eczema|celiac|coeliac|hypothyroidism|anemia|anaemia|back pain|bad back|bad knees?|heart [a-z]+|surgery|panic attacks|tinnitus|PTSD|endometriosis|dyslexia|[a-z]+itis|[a-z]+osis|[a-z]+emia)\\b',
    ),
  },
  {
    category: 'health',
    when: when(
      "I {adv}(?:am recovering from|am in recovery|wear (?:glasses|contacts|a hearing aid)|broke (?:my|an?)|sprained|tore|quit smoking|stopped smoking|quit drinking|stopped drinking|am intolerant|am pregnant|am lactose|smoke|do not smoke|don't smoke|don't drink|do not drink)\\b(?! (?:a look|the bus|it|part|notes|photos|pictures|classes|lessons|care|a (?:bus|train|break|class|trip|photo)))",
    ),
  },
  {
    category: 'health',
    when: when(
      'I {adv}(?:take|am taking|am on|have to take) (?:[\\p{L}\\d-]+ ){0,3}(?:medication|medicine|meds|pills?|antibiotics?|vitamins?|insulin|supplements?|statins?|metformin|ibuprofen|antidepressants?|blood thinners|birth control|chemo(?:therapy)?|(?:[\\p{L}-]+ )?diet)\\b',
    ),
  },
  {
    category: 'health',
    when: when(
      'I am {adv}(?:type [12] )?(?:(?:pre-?|borderline )?diabetic|asthmatic|ana?emic|epileptic|immunocompromised|arthritic|breastfeeding|hard of hearing|(?:hearing|visually)[ -]impaired|(?:near|short|far|long)-?sighted|in (?:a wheelchair|remission)|sober|on the (?:autism )?spectrum|(?:\\p{L}+|\\d+) (?:weeks|months) pregnant|expecting (?:a baby|twins|our|my))\\b',
    ),
  },
  { category: 'health', when: when('I am {adv}allergic to \\S+') },
  {
    category: 'health',
    when: when('I am (?:not )?supposed to (?:avoid|eat|drink|lift|wear|rest|fast|limit) \\S+'),
  },
];
