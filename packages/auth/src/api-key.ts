import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

export type GeneratedKey = Readonly<{ id: string; key: string; secretSha256: Buffer }>;

const KEY = /^fm_([0-9a-f]{16})_([\w-]{43})$/;

/** A new key `fm_<id>_<secret>`: 64 random bits of id, 256 of secret. Only the secret's SHA-256 is to be stored. */
export function generateApiKey(random: (bytes: number) => Buffer = randomBytes): GeneratedKey {
  return generateSecret(random(8).toString('hex'), random);
}

/** A new secret for the key of this id. */
export function generateSecret(id: string, random: (bytes: number) => Buffer = randomBytes): GeneratedKey {
  const secret = random(32).toString('base64url');
  return { id, key: `fm_${id}_${secret}`, secretSha256: sha256(secret) };
}

/** Splits a presented key; null when it does not have a key's form. */
export function parseApiKey(key: string): { id: string; secretSha256: Buffer } | null {
  const match = KEY.exec(key);
  const id = match?.[1];
  const secret = match?.[2];
  return id === undefined || secret === undefined ? null : { id, secretSha256: sha256(secret) };
}

/** SHA-256 of a text. Secrets here have 256 random bits, so a slow hash would add nothing. */
export function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** Compares two hashes in constant time. */
export function sameHash(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}
