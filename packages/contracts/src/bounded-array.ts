import { z } from 'zod';

/** After this many wrong items the rest of the array is not checked. */
const MAX_ISSUES = 50;

/**
 * An array that is refused before its items are checked when it is longer than its `max`, and that stops at a few
 * wrong items. zod checks all of them and describes each mistake, which takes seconds for a hostile body.
 */
const BoundedArray = z.core.$constructor('BoundedArray', (inst: z.ZodArray, def: z.core.$ZodArrayDef) => {
  z.ZodArray.init(inst, def);
  const maximum = maxLengthOf(def);
  // oxlint-disable-next-line no-underscore-dangle -- where zod has what library authors change
  inst._zod.parse = (payload, context) => {
    const input = payload.value as unknown;
    if (!Array.isArray(input)) {
      payload.issues.push({ code: 'invalid_type', expected: 'array', input, inst });
      return payload;
    }
    if (input.length > maximum) {
      payload.issues.push({ code: 'too_big', origin: 'array', maximum, inclusive: true, input, inst });
      payload.aborted = true;
      return payload;
    }
    const items: unknown[] = [];
    payload.value = items;
    for (const [index, item] of input.entries()) {
      // oxlint-disable-next-line no-underscore-dangle -- as above
      const result = def.element._zod.run({ value: item as unknown, issues: [] }, context);
      if (result instanceof Promise) throw new z.core.$ZodAsyncError();
      items.push(result.value);
      if (result.issues.length === 0) continue;
      payload.issues.push(...z.core.util.prefixIssues(index, result.issues));
      if (payload.issues.length >= MAX_ISSUES) break;
    }
    return payload;
  };
});

function maxLengthOf({ checks = [] }: z.core.$ZodArrayDef): number {
  const maxima = checks.flatMap(({ _zod: { def } }) =>
    def.check === 'max_length' && 'maximum' in def ? [Number(def.maximum)] : [],
  );
  return Math.min(...maxima);
}

/** As `z.array`; its `max` is checked first. */
export function boundedArray<T extends z.ZodType>(element: T): z.ZodArray<T> {
  return new BoundedArray({ type: 'array', element }) as unknown as z.ZodArray<T>;
}
