import { createRandom, nextVector } from './seeded-random.ts';
import { PEOPLE, QUESTIONS, STATEMENTS, THINGS } from './vocabulary.ts';

/** How many different vectors there are for a memory's own part. */
export const OWN_VECTORS = 5_000;

export const LARGE_MODEL = { name: 'table', id: 'table@384', dimensions: 384 } as const;

/**
 * The parts of a vector, with their lengths: a memory's vector is the normalised sum of those of its thing, its
 * person, its statement and a part of its own. So memories of the same thing are similar (about 0.5), those of the
 * same thing and person more (0.7), and all differ.
 */
const PARTS = {
  thing: { count: THINGS.length, length: 1 },
  person: { count: PEOPLE.length, length: 0.7 },
  statement: { count: STATEMENTS.length, length: 0.3 },
  own: { count: OWN_VECTORS, length: 0.75 },
} as const;

type Part = keyof typeof PARTS;

export type PartVectors = Readonly<Record<Part, readonly (readonly number[])[]>>;

export function createPartVectors(): PartVectors {
  const random = createRandom(2);
  const vectorsOf = (part: Part) =>
    Array.from({ length: PARTS[part].count }, () =>
      nextVector(random, LARGE_MODEL.dimensions, PARTS[part].length),
    );
  return {
    thing: vectorsOf('thing'),
    person: vectorsOf('person'),
    statement: vectorsOf('statement'),
    own: vectorsOf('own'),
  };
}

export type LargeQuery = Readonly<{ text: string; vector: readonly number[] }>;

/** Questions about a person and a thing; frequent subjects are asked about more often. */
export function createQueries(parts: PartVectors, count: number): LargeQuery[] {
  const random = createRandom(3);
  const pick = (length: number) => Math.floor(length * random() ** 1.5);
  return Array.from({ length: count }, (_, index) => {
    const [thing, person] = [pick(THINGS.length), pick(PEOPLE.length)];
    const own = nextVector(random, LARGE_MODEL.dimensions, PARTS.own.length);
    const sum = own.map(
      (component, at) => component + (parts.thing[thing]?.[at] ?? 0) + (parts.person[person]?.[at] ?? 0),
    );
    const length = Math.hypot(...sum);
    return {
      text: (QUESTIONS[index % QUESTIONS.length] ?? '')
        .replace('%1$s', PEOPLE[person] ?? '')
        .replace('%3$s', THINGS[thing] ?? ''),
      vector: sum.map((component) => component / length),
    };
  });
}
