/** What one user has told over some months, as memories are stored. */
export type Told = Readonly<{ content: string; key?: string; category?: string; validFrom?: string }>;

/** Now, of everyone who asks. A Wednesday. */
export const ASKED_AT = new Date('2026-06-17T09:30:00Z');

export const TOLD: readonly Told[] = [
  // Who the user is, home and family.
  { content: 'The user is called Marta Lindqvist.', key: 'name', category: 'identity' },
  {
    content: 'The user lives in Gothenburg, in a flat on the third floor.',
    key: 'home',
    category: 'identity',
  },
  { content: 'The user grew up on a farm near Kiruna.' },
  { content: 'The user has two children, Elsa and Viggo.' },
  { content: 'Viggo goes to the nursery on Lindholmen.' },
  { content: 'Elsa plays the clarinet in the school orchestra.' },
  { content: 'The user’s sister Katarina studies medicine in Uppsala.' },
  { content: 'The user’s husband Johan works night shifts at the harbour.' },
  { content: 'The user’s mother has a hearing aid since the winter.' },
  { content: 'The user’s birthday is on 3 February.', key: 'birthday', category: 'identity' },
  { content: 'The user’s neighbour Mr Okafor keeps a spare key.' },
  { content: 'The user has a grey cat called Pixel.' },
  // Work.
  { content: 'The user works as a structural engineer at Norrbro.', key: 'occupation', category: 'work' },
  { content: 'The user’s manager at Norrbro is Henrik Dahl.' },
  { content: 'The user’s team uses NATS as its message broker.' },
  { content: 'The user leads the project for the Hising bridge.', category: 'work' },
  { content: 'The user earns 48,500 kronor a month before taxes.' },
  { content: 'The user gave notice to the landlord of the old office.' },
  { content: 'The stand-up meeting of the team is at 9:15 every morning.' },
  // Health.
  { content: 'The user is allergic to hazelnuts.', category: 'health' },
  { content: 'The user takes 50 micrograms of levothyroxine every morning.', category: 'health' },
  { content: 'The user was diagnosed with type 1 diabetes as a teenager.', category: 'health' },
  { content: 'The user is afraid of heights.' },
  { content: 'The user has an appointment with the dentist on 24 June 2026.', validFrom: '2026-06-02' },
  { content: 'The user broke the left wrist while skating.', validFrom: '2026-01-18' },
  { content: 'The user’s blood group is 0 negative.' },
  // Leisure.
  { content: 'The user is training for the Copenhagen marathon.' },
  { content: 'The user plays go at a club on Thursdays.' },
  { content: 'The user is reading The Left Hand of Darkness.' },
  { content: 'The user prefers green tea without sugar to coffee.', key: 'drink', category: 'preference' },
  { content: 'The user does not eat meat since 2019.' },
  { content: 'The user sings alto in a choir.' },
  { content: 'The user’s favourite restaurant is Koka.' },
  { content: 'The user learns German with an app every evening.' },
  { content: 'The German exam B2 of the user is on 5 December 2026.', validFrom: '2026-05-20' },
  { content: 'The user repaired an old accordion.', validFrom: '2026-03-14' },
  // Travel and events.
  { content: 'The user visited the Alhambra with Katarina.', validFrom: '2026-05-16' },
  { content: 'The user bought a second-hand kayak.', validFrom: '2026-06-10' },
  { content: 'The user went to a concert of Anna von Hausswolff.', validFrom: '2026-04-11' },
  { content: 'The user wants to see the fjords of Norway by train one day.' },
  { content: 'The user missed the ferry to Kiel and slept at the terminal.', validFrom: '2025-08-02' },
  { content: 'The user flies to Lisbon on 3 September 2026.', validFrom: '2026-06-01' },
  // House, car, money, numbers.
  { content: 'The boiler in the cellar has the serial number ZX-90817.' },
  { content: 'The boiler in the summer house has the serial number ZX-90871.' },
  { content: 'The wifi at home is called linden-5G.' },
  { content: 'The policy number of the home insurance is H-2207-114.' },
  { content: 'The policy number of the car insurance is C-2207-141.' },
  { content: 'The user drives a blue Volvo V60 with the plate MLT 482.' },
  { content: 'The winter tyres are at the garage in Backa until October.' },
  { content: 'The rent of the flat is due on the 25th of each month.' },
  { content: 'The user’s emergency contact is Katarina, 070-555 01 42.' },
  { content: 'Ticket OPS-1412 is about the broken lift in the parking house.' },
  { content: 'Ticket OPS-1421 is about the late invoice of the steel supplier.' },
  { content: 'The user pays 139 kronor a month for the gym.' },
  { content: 'The user saves for a house with a garden.' },
  // What the user wants of answers, tools.
  { content: 'The user wants answers in metric units.', category: 'instruction' },
  { content: 'The user writes scripts in Python and dislikes spreadsheets.' },
  { content: 'The user’s laptop runs Fedora 44.' },
  { content: 'Backups of the laptop go to a disk at Katarina’s place every Sunday.' },
  { content: 'The password manager of the family is Bitwarden.' },
  // Cooking and garden.
  { content: 'The user bakes sourdough bread on Saturdays.' },
  { content: 'The tomatoes on the balcony have blight.' },
  { content: 'The recipe of the lentil soup comes from the user’s grandmother.' },
  { content: 'The user ordered a new oven, it arrives next to the old one.', validFrom: '2026-06-15' },
  // In Chinese.
  { content: '用户的中文老师叫王丽。' },
  { content: '用户每周三晚上去学太极拳。' },
  { content: '用户喜欢喝乌龙茶，不喜欢红茶。' },
];

/** A question, and a part of the content of the memory that answers it. */
export const QUESTIONS: readonly (readonly [question: string, answer: string])[] = [
  // In words of the memory, or near them.
  ['Where do I live?', 'Gothenburg'],
  ['What is my name?', 'Marta Lindqvist'],
  ['What is my job?', 'structural engineer'],
  ['Who is my boss?', 'Henrik Dahl'],
  ['What is my cat called?', 'Pixel'],
  ['What am I allergic to?', 'hazelnuts'],
  ['Which medicine do I take in the morning?', 'levothyroxine'],
  ['What illness do I have?', 'type 1 diabetes'],
  ['What am I scared of?', 'heights'],
  ['What race am I preparing for?', 'Copenhagen marathon'],
  ['Which book am I reading?', 'Left Hand of Darkness'],
  ['Do I take sugar in my tea?', 'green tea'],
  ['Am I a vegetarian?', 'does not eat meat'],
  ['Which car do I drive?', 'Volvo V60'],
  ['What instrument does my daughter play?', 'clarinet'],
  ['Who should be called in an emergency?', 'emergency contact'],
  ['How much is my salary?', '48,500'],
  ['What is my favourite place to eat?', 'Koka'],
  ['When is my language test?', 'exam B2'],
  ['Which board game do I play?', 'plays go'],
  // Identifiers and numbers.
  ['What is the serial number of the boiler in the summer house?', 'ZX-90871'],
  ['ZX-90817', 'cellar'],
  ['What was OPS-1421 about?', 'steel supplier'],
  ['OPS-1412', 'broken lift'],
  ['Whose number is 070-555 01 42?', 'emergency contact'],
  ['Which policy is C-2207-141?', 'car insurance'],
  // Misspelt.
  ['What alergies do I have?', 'hazelnuts'],
  ['When is my dentist apointment?', 'dentist'],
  ['Where are my winter tiers, at the garrage?', 'garage in Backa'],
  ['Do I play the acordion?', 'accordion'],
  ['What did Catarina study?', 'studies medicine'],
  // Dates.
  ['What did I do on 16 May?', 'Alhambra'],
  ['What did I buy last week?', 'kayak'],
  ['Which concert did I go to in April 2026?', 'Hausswolff'],
  ['What happened to me in January?', 'wrist'],
  ['Where do I go on 2026-09-03?', 'Lisbon'],
  // Names.
  ['Who is Mr Okafor?', 'spare key'],
  ['What is the name of the orchestra girl, Elsa?', 'clarinet'],
  ['Which team member reports what to NATS?', 'NATS'],
  // Chinese.
  ['我的中文老师叫什么名字？', '王丽'],
];
