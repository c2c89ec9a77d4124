import type { Environment } from './environment.ts';
import type { ConfigProblem } from './invalid-configuration.ts';
import { withPassword } from './with-password.ts';

/** Modes of libpq that encrypt or say plainly that they do not. `allow` and `prefer` would guess. */
const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'];

/**
 * The address of a Postgres as the driver takes it: with the password, and with the modes of TLS meaning what they mean
 * to psql and pg_dump, which read the same address. Null without an address.
 */
export function databaseAddress(
  address: string | undefined,
  { DATABASE_PASSWORD: password }: Partial<Pick<Environment, 'DATABASE_PASSWORD'>>,
): string | null {
  const url = withPassword(address, password);
  if (url === null || !new URL(url).searchParams.has('sslmode')) return url;
  return `${url}&uselibpqcompat=true`;
}

/** Settings of Postgres that do not fit together. Looks at them as they are written, also where one is not valid. */
export function databaseProblems(
  environment: Readonly<Partial<Record<keyof Environment, string | undefined>>>,
): ConfigProblem[] {
  const problems = (['DATABASE_URL', 'DATABASE_READ_URL', 'DATABASE_OWNER_URL'] as const).flatMap((name) =>
    rulesBroken(environment[name] ?? '').map((rule) => ({ name, rule })),
  );
  if (environment.DATABASE_READ_URL !== undefined && environment.DATABASE_URL === undefined) {
    problems.push({ name: 'DATABASE_URL', rule: 'must be set together with DATABASE_READ_URL' });
  }
  return problems;
}

function rulesBroken(address: string): string[] {
  if (!URL.canParse(address)) return [];
  const { searchParams } = new URL(address);
  const mode = searchParams.get('sslmode');
  const hasFile = ['sslrootcert', 'sslcert', 'sslkey'].some((name) => searchParams.has(name));
  if (mode === null) return hasFile ? ['must have an sslmode beside its certificates'] : [];
  if (!SSL_MODES.includes(mode)) return [`must have one of these as sslmode: ${SSL_MODES.join(', ')}`];
  if (mode === 'verify-ca' && !searchParams.has('sslrootcert'))
    return ['must have an sslrootcert for verify-ca'];
  return [];
}
