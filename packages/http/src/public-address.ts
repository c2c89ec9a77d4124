import ipaddr from 'ipaddr.js';

/**
 * Whether an IP address is one of the public internet: not of this machine, a private network, a link, a cloud's
 * metadata service, or reserved. IPv4 inside of IPv6 counts as what it is. Everything unknown is not public.
 */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';
}
