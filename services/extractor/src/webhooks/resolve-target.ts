import { isPublicAddress } from '@factmill/http';
import { lookup, type LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { promisify } from 'node:util';

/** Why nothing was sent: codes for the log of deliveries. */
type RefusedTarget = 'address_refused' | 'http_refused' | 'name_not_found';

export type Target = Readonly<{ addresses: readonly LookupAddress[] }> | Readonly<{ refused: RefusedTarget }>;

/** Finds the addresses of a name. */
export type LookUp = (name: string) => Promise<readonly LookupAddress[]>;

const lookUpAll = promisify(lookup);
export const lookUpName: LookUp = (name) => lookUpAll(name, { all: true });

/**
 * The addresses to connect to, which are looked up once: a name that has another address a moment later leads nowhere
 * else. Without `privateNetworks` every address of the name has to be public, so that tenants cannot reach what only
 * this server can.
 */
export async function resolveTarget(
  { protocol, hostname }: URL,
  privateNetworks: boolean,
  lookUp: LookUp,
): Promise<Target> {
  if (protocol !== 'https:' && !privateNetworks) return { refused: 'http_refused' };
  const host = hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  const addresses =
    family !== 0 ? [{ address: host, family }] : await lookUp(host).catch((): LookupAddress[] => []);
  if (addresses.length === 0) return { refused: 'name_not_found' };
  const isAllowed = privateNetworks || addresses.every(({ address }) => isPublicAddress(address));
  return isAllowed ? { addresses } : { refused: 'address_refused' };
}
