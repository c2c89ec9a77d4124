import { textRules } from '@factmill/contracts';
import { z } from 'zod';

type Json = Record<string, unknown>;

/** A contract as the document has it: with what its refinements say of texts, without references of its own. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const {
    $schema: _dialect,
    $defs: _definitions,
    ...rest
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema: made }) => {
      Object.assign(made, textRules.get(zodSchema));
    },
  }) as Json;
  return withoutLocalReferences(rest) as Json;
}

/** The only recursive schema is `z.json()`; its definition does not belong into the document. */
function withoutLocalReferences(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutLocalReferences);
  if ('$ref' in value && typeof value.$ref === 'string' && value.$ref.startsWith('#/$defs/')) {
    return { $ref: '#/components/schemas/AnyJson' };
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, withoutLocalReferences(child)]),
  );
}
