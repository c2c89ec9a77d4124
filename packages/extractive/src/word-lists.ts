/** Word lists that the rules' patterns name in braces; each is a regular expression group. */
export const WORD_LISTS: Readonly<Record<string, string>> = {
  /** Adverbs that may stand before the verb, none of which denies it; no word matches twice. */
  adv: '(?:(?:just|also|always|often|sometimes|still|both|all|already|even|almost|now|only|[a-z]{3,12}ly) ){0,3}',
  not: "(?:don't|do not|didn't|cannot|can't|never|no longer|have never|haven't)",
  i: '(?:I|we)',
  /** How one likes to live, whatever the other choice is. */
  rather: '(?:rather (?:not )?(?:fly|travel|stay|live|sit|sleep|eat|drink|drive|walk|cycle)\\b)',
  my: '(?:my|our)',
  name: "(?:(?:Mr|Mrs|Ms|Dr|Prof)\\.? )?\\p{Lu}[\\p{L}'’-]+(?: \\p{Lu}[\\p{L}'’-]+){0,2}",
  relation:
    '(?:(?:older|younger|elder|little|big|twin|half|step|best|close|good|old|new|late|ex)[ -])?(?:mother|mom|mum|mama|father|dad|papa|parents?|brothers?|sisters?|siblings?|eldest|oldest|youngest|sons?|daughters?|boys|girls|kids?|child|children|baby|wife|husband|spouse|partner|girlfriend|boyfriend|fianc[eé]e?|grandmother|grandma|granny|grandfather|grandpa|grandparents?|grandsons?|granddaughters?|grandchild(?:ren)?|grandkids|aunt|auntie|uncle|cousins?|niece|nephew|twins?|stepmother|stepfather|stepmom|stepdad|stepson|stepdaughter|stepsister|stepbrother|(?:mother|father|brother|sister|son|daughter)-in-law|in-laws|friends?|roommates?|flatmates?|housemates?|neighbou?rs?|boss|manager|colleagues?|co-?workers?|teammates?|mentor|teacher|coach|therapist|family|ex)',
  pet: '(?:dogs?|cats?|pupp(?:y|ies)|kittens?|rabbits?|bunny|hamsters?|parrots?|budgies?|birds?|fish|goldfish|turtles?|tortoises?|horses?|ponies|pony|guinea pigs?|lizards?|geckos?|snakes?|ferrets?|chickens?|ducks?|goats?|pets?|labrador|poodle|beagle|terrier|retriever|corgi|husky|dachshund)',
  nationality:
    '(?:American|Australian|Austrian|Argentinian|Argentine|Albanian|Algerian|Afghan|Armenian|Bangladeshi|Belgian|Bolivian|Bosnian|Brazilian|British|Bulgarian|Cambodian|Cameroonian|Canadian|Chilean|Chinese|Colombian|Croatian|Cuban|Cypriot|Czech|Danish|Dutch|Ecuadorian|Egyptian|English|Estonian|Ethiopian|Filipino|Filipina|Finnish|French|Georgian|German|Ghanaian|Greek|Guatemalan|Hungarian|Icelandic|Indian|Indonesian|Iranian|Iraqi|Irish|Israeli|Italian|Jamaican|Japanese|Jordanian|Kenyan|Korean|Latvian|Lebanese|Lithuanian|Malaysian|Maltese|Mexican|Moroccan|Nepali|Nigerian|Norwegian|Pakistani|Palestinian|Persian|Peruvian|Polish|Portuguese|Romanian|Russian|Saudi|Scottish|Senegalese|Serbian|Singaporean|Slovak|Slovenian|Somali|South African|South Korean|Spanish|Sri Lankan|Sudanese|Swedish|Swiss|Syrian|Taiwanese|Tanzanian|Thai|Tunisian|Turkish|Ugandan|Ukrainian|Uruguayan|Venezuelan|Vietnamese|Welsh|Zimbabwean)',
  diet: '(?:vegetarian|vegan|pescatarian|pescetarian|flexitarian|carnivore|gluten[- ]free|dairy[- ]free|keto|halal|kosher|lactose[- ]intolerant|gluten[- ]intolerant|coeliac|celiac)',
  /** Points at one thing rather than naming a kind: "the theme", not "the sea". */
  pointed:
    '(?:the (?!sea|ocean|beach|mountains|outdoors|cold|heat|rain|snow|city|countryside)|(?:this|that|these|those|it|them|him|her|you|how|what|where|why|being|seeing)\\b)',
  count: '(?:a|an|one|two|three|four|five|six|seven|eight|nine|ten|several|many|some|no|\\d{1,3})',
  thing: "(?:[\\p{L}\\d'-]+ ){0,2}[\\p{L}\\d'-]+",
  occupation:
    '(?:engineer|developer|programmer|nurse|doctor|dentist|teacher|lawyer|chef|cook|baker|designer|writer|author|artist|musician|singer|actor|actress|scientist|researcher|analyst|accountant|manager|director|CEO|CTO|CFO|COO|founder|consultant|architect|electrician|plumber|carpenter|mechanic|driver|pilot|farmer|gardener|librarian|journalist|editor|translator|photographer|pharmacist|therapist|psychologist|psychiatrist|surgeon|paramedic|firefighter|police officer|officer|soldier|veteran|social worker|receptionist|secretary|assistant|cashier|waiter|waitress|barista|bartender|professor|lecturer|tutor|coach|trainer|vet|veterinarian|biologist|chemist|physicist|mathematician|economist|historian|sculptor|painter|potter|poet|novelist|tailor|hairdresser|barber|counselor|counsellor|technician|administrator|entrepreneur|freelancer|contractor|salesperson|recruiter|marketer|judge|priest|pastor|nanny|housekeeper|janitor|welder|builder|sysadmin|postman|sailor|fisherman|streamer|blogger|dancer|model|physiotherapist|midwife|optician|intern|apprentice|stay-at-home (?:mom|dad|parent|mum))',
};
