/** The ways of filling the memory. */
export const WAYS = [
  'extracted',
  'memories',
  'turns',
  'observations',
  'observations-stored',
  'observations-and-turns',
] as const;
export type Way = (typeof WAYS)[number];

export type Aim = Readonly<{
  /** R@10 by turn. */
  recall: number;
  memoriesPerTurn?: number;
}>;

/** What is aimed for on the sets for development, by the name of their folder. */
export const AIMS: Readonly<Record<string, Partial<Record<Way, Aim>>>> = {
  locomo: {
    extracted: { recall: 0.745, memoriesPerTurn: 0.8 },
    observations: { recall: 0.66 },
    'observations-stored': { recall: 0.65 },
    'observations-and-turns': { recall: 0.74 },
  },
  beam: { extracted: { recall: 0.5, memoriesPerTurn: 0.9 } },
  'memorybank-en': { extracted: { recall: 0.82 } },
  'memorybank-zh': { extracted: { recall: 0.7 }, turns: { recall: 0.88 } },
  'madial-en': { turns: { recall: 0.74 } },
  'madial-zh': { turns: { recall: 0.61 } },
};
