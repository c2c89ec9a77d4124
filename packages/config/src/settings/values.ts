import { z } from 'zod';

/** Forms that several settings share. `allowed` is what the generated documentation says of them. */
export const port = z.coerce.number().int().min(0).max(65_535);
export const positiveInt = z.coerce.number().int().min(1);
export const nonNegativeInt = z.coerce.number().int().min(0);
export const similarity = z.coerce.number().min(0).max(1);
export const share = z.coerce.number().min(0).max(1);
export const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
export const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits in small letters')
  .meta({ allowed: '64 hexadecimal digits' });
export const httpUrl = z
  .url({
    protocol: /^https?$/,
    error: 'must be an http or https address, for example http://127.0.0.1:11434/v1',
  })
  .meta({ allowed: 'an http or https address' });
export const pem = z
  .string()
  .regex(/^-----BEGIN [A-Z ]+-----/, 'must be in PEM form, beginning with -----BEGIN')
  .meta({ allowed: 'text in PEM form' });
export const postgresUrl = z
  .url({ protocol: /^postgres(ql)?$/, error: 'must be postgres://user:password@host:5432/database' })
  .meta({ allowed: '`postgres://user:password@host:5432/database`' });
export const redisUrl = z
  .string()
  .refine(isRedisUrl, {
    error: 'must be redis://:password@host:6379, or rediss:// for TLS; more addresses after commas',
  })
  .meta({ allowed: '`redis://:password@host:6379`, or `rediss://` for TLS; more addresses after commas' });
/** Several of them, separated by commas. */
export const httpUrls = z
  .string()
  .meta({ allowed: 'http or https addresses, separated by commas' })
  .transform(splitList)
  .pipe(z.array(httpUrl).min(1));

/** The presets of `packages/extraction`. */
export const presetName = z.enum([
  'standard',
  'facts-and-context',
  'single-fact',
  'tiered',
  'categorised',
  'reconciled',
]);

/** A comma-separated list. */
export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function isRedisUrl(text: string): boolean {
  const [, scheme, login = '', hosts = ''] =
    /^(rediss?:\/\/)([^@/?#]*@)?([^@/?#]+)(?:\/\d{0,5})?$/.exec(text) ?? [];
  return hosts.split(',').every((host) => host !== '' && URL.canParse(`${scheme ?? ''}${login}${host}`));
}
