/** Anything with the types of a zod schema. Named by its shape, so that this package does not depend on zod. */
type Schema = Readonly<{ _zod: Readonly<{ input: unknown; output: unknown }> }>;

/** The request type: fields with a default are optional. */
export type InputOf<T extends Schema> = T['_zod']['input'];

/** The type of an answer. */
export type OutputOf<T extends Schema> = T['_zod']['output'];

/** Query parameters with their own types (numbers, booleans), not the text that is sent. */
export type QueryOf<T extends Schema> = {
  [K in keyof InputOf<T>]: K extends keyof OutputOf<T> ? OutputOf<T>[K] | undefined : never;
};
