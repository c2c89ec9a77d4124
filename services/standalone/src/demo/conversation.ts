/** A made-up conversation of one person with an assistant, over a few weeks. */
export const DEMO_USER = 'demo-nora';

export type DemoTurn = Readonly<{ at: string; text: string }>;

export const DEMO_TURNS: readonly DemoTurn[] = [
  {
    at: '2026-03-02T08:15:00Z',
    text: 'Hi! I am Nora and I live in Trondheim. I work as a marine biologist.',
  },
  {
    at: '2026-03-02T08:17:00Z',
    text: 'My sister Ingrid is visiting next week. She is allergic to peanuts, so what could we cook?',
  },
  { at: '2026-03-05T19:40:00Z', text: 'I have a cat called Pixel. I am vegetarian, by the way.' },
  {
    at: '2026-03-11T21:05:00Z',
    text: 'I started learning the cello yesterday. Can you explain how to hold the bow?',
  },
  {
    at: '2026-03-20T07:30:00Z',
    text: 'My favourite tea is lapsang souchong. I prefer window seats on trains.',
  },
  {
    at: '2026-04-14T18:00:00Z',
    text: 'I moved to Bergen last weekend. The new flat is close to the harbour.',
  },
  {
    at: '2026-04-15T09:10:00Z',
    text: 'Would it be crazy to swim in the fjord in April? Thanks, that was helpful!',
  },
];

/** Her questions in a later chat. */
export const DEMO_QUESTIONS: readonly string[] = [
  'Where do I live?',
  'What is my job?',
  'Which instrument am I learning?',
  'What must I leave out when I cook for my sister?',
  'What is my pet called?',
];
