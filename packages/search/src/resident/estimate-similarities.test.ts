import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { codesOf } from './codes.fixture.ts';
import { deviationOfEstimate, ESTIMATE_OF_ONE, estimateSimilarities } from './estimate-similarities.ts';

/** In the simplest way there is: of the query's length, the part that has the signs of the vector. */
function estimate(vector: readonly number[], query: readonly number[]): number {
  const length = query.reduce((sum, component) => sum + Math.abs(component), 0);
  const sum = query.reduce((all, component, at) => all + ((vector[at] ?? 0) > 0 ? component : -component), 0);
  return length === 0 ? 0 : sum / length;
}

const numbers = (length: number) =>
  fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: length, maxLength: length });
const tables = fc
  .integer({ min: 1, max: 150 })
  .chain((dimensions) =>
    fc.record({ query: numbers(dimensions), rows: fc.array(numbers(dimensions), { maxLength: 20 }) }),
  );

test('components of the same sign count for a code, the others against it', () => {
  fc.assert(
    fc.property(tables, ({ query, rows }) => {
      const estimates = estimateSimilarities(codesOf(rows, query.length), query);
      rows.forEach((row, at) => {
        const given = (estimates[at] ?? 0) / ESTIMATE_OF_ONE;
        expect(Math.abs(given - estimate(row, query))).toBeLessThan(0.004);
      });
    }),
  );
});

test('a vector of the same signs is estimated as equal, one of the opposite signs as opposite', () => {
  const query = Array.from({ length: 384 }, (_, at) => Math.sin(at * 7 + 1));
  const codes = codesOf([query, query.map((component) => -component)], 384);
  const estimates = [...estimateSimilarities(codes, query)];
  expect(estimates[0]).toBeGreaterThan(0.995 * ESTIMATE_OF_ONE);
  expect(estimates[0]).toBeLessThanOrEqual(ESTIMATE_OF_ONE);
  expect(estimates[1]).toBe(-(estimates[0] ?? 0));
});

test('a query without length is estimated as neither', () => {
  expect([...estimateSimilarities(codesOf([[1, -1]], 2), [0, 0])]).toEqual([0]);
});

test('estimates of random vectors deviate as said', () => {
  const dimensions = 384;
  const random = seeded();
  for (const similarity of [0, 0.3, 0.6, 0.9]) {
    const errors = Array.from({ length: 400 }, () => {
      const query = unit(random, dimensions);
      const vector = withSimilarity(query, unit(random, dimensions), similarity);
      const [given = 0] = estimateSimilarities(codesOf([vector], dimensions), query);
      return given / ESTIMATE_OF_ONE - similarity;
    });
    const deviation = Math.sqrt(errors.reduce((sum, error) => sum + error ** 2, 0) / errors.length);
    const said = deviationOfEstimate(similarity, dimensions);
    expect(deviation / said).toBeGreaterThan(0.85);
    // The lengths of vectors in components differ a little as well.
    expect(deviation / said).toBeLessThan(1.35);
  }
});

/** Uniform from 0 to 1, the same each time. */
function seeded(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function unit(random: () => number, dimensions: number): number[] {
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return normalised(Array.from({ length: dimensions }, normal));
}

function normalised(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  return vector.map((component) => component / length);
}

function withSimilarity(query: readonly number[], other: readonly number[], similarity: number): number[] {
  const shared = query.reduce((sum, component, at) => sum + component * (other[at] ?? 0), 0);
  const beside = normalised(other.map((component, at) => component - shared * (query[at] ?? 0)));
  const rest = Math.sqrt(1 - similarity ** 2);
  return query.map((component, at) => similarity * component + rest * (beside[at] ?? 0));
}
