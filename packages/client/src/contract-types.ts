/** Whatever carries types as a zod schema does; named by its shape, so that zod is no dependency of this package. */
type Schema = Readonly<{ _zod: Readonly<{ input: unknown; output: unknown }> }>;

/** What a request may say: fields with a default may be left out. */
export type InputOf<T extends Schema> = T['_zod']['input'];

/** What an answer says. */
export type OutputOf<T extends Schema> = T['_zod']['output'];

/** A query's parameters with their own types (numbers, booleans) instead of the text they travel as. */
export type QueryOf<T extends Schema> = {
  [K in keyof InputOf<T>]: K extends keyof OutputOf<T> ? OutputOf<T>[K] | undefined : never;
};
