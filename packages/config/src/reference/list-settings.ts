import { z } from 'zod';
import { environmentSchema } from '../environment.ts';
import { fileNameOf } from '../secret-files.ts';

/** A setting as the documentation shows it. */
export type Setting = Readonly<{
  name: string;
  description: string;
  /** As written in `.env`; null when there is none, and `unset` then says what happens. */
  defaultValue: string | null;
  unset: string;
  /** The accepted values, in Markdown. */
  allowed: string;
}>;

const inputSchema = z.object({
  description: z.string(),
  secret: z.boolean().default(false),
  unset: z.string().default(''),
  allowed: z.string().optional(),
  enum: z.array(z.string()).optional(),
  type: z.enum(['string', 'integer', 'number']),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
});

/**
 * All settings by name, read from the schema of the environment.
 *
 * @throws ZodError when a setting has no description
 */
export function listSettings(): ReadonlyMap<string, Setting> {
  const { properties = {} } = z.toJSONSchema(environmentSchema, { io: 'input', unrepresentable: 'any' });
  const defaults: Readonly<Record<string, unknown>> = environmentSchema.parse({});
  return new Map(
    Object.entries(properties).map(([name, property]) => {
      const input = inputSchema.parse(property);
      return [
        name,
        {
          name,
          description: input.secret
            ? `${input.description} \`${fileNameOf(name)}\` names a file with it.`
            : input.description,
          defaultValue: name in defaults ? String(defaults[name]) : null,
          unset: input.unset,
          allowed: allowedValues(input),
        },
      ];
    }),
  );
}

function allowedValues(input: z.infer<typeof inputSchema>): string {
  if (input.allowed !== undefined) return input.allowed;
  if (input.enum !== undefined) return input.enum.map((value) => `\`${value}\``).join(', ');
  if (input.type === 'string') return textOfLength(input.minLength, input.maxLength);
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = input;
  const kind = input.type === 'integer' ? '' : 'a number, ';
  return maximum === Number.MAX_SAFE_INTEGER
    ? `${kind}${grouped(minimum)} or more`
    : `${kind}${grouped(minimum)} to ${grouped(maximum)}`;
}

function textOfLength(min = 0, max?: number): string {
  if (max === undefined) return 'text';
  return min > 1 ? `${min} to ${max} characters` : `at most ${max} characters`;
}

function grouped(value: number): string {
  return value.toLocaleString('en');
}
