/** Where Redis is, and how its servers work together. */
export type RedisAddress = Readonly<{
  /**
   * `redis://user:password@host:port/db`, or `rediss://` for TLS. With Sentinels or a cluster it may have several
   * `host:port`, separated by commas; user, password, number and TLS are then those of every server.
   */
  url: string;
  /** Default `single`. With `sentinel` the hosts are those of Sentinels, which name the master. */
  mode?: 'single' | 'sentinel' | 'cluster' | undefined;
  /** Name of the master that the Sentinels watch. */
  sentinelMaster?: string | undefined;
  /** Password of the Sentinels themselves. */
  sentinelPassword?: string | undefined;
  /** In PEM form, where the authorities of the machine are not enough, or the server asks for a certificate. */
  tls?:
    Readonly<{ ca?: string | undefined; cert?: string | undefined; key?: string | undefined }> | undefined;
}>;

export type ParsedAddress = Readonly<{
  nodes: readonly Readonly<{ host: string; port: number }>[];
  username: string | undefined;
  password: string | undefined;
  db: number;
  isTls: boolean;
}>;

const PORTS = { single: 6379, sentinel: 26_379, cluster: 6379 } as const;

/**
 * The parts of an address.
 *
 * @throws TypeError when it is none
 */
export function parseAddress({ url, mode = 'single' }: RedisAddress): ParsedAddress {
  const [scheme] = /^rediss?:\/\//i.exec(url) ?? [];
  if (scheme === undefined) throw new TypeError('Invalid URL');
  const [authority = ''] = url.slice(scheme.length).split(/[/?#]/, 1);
  const rest = url.slice(scheme.length + authority.length);
  const hostsAt = authority.lastIndexOf('@') + 1;
  const [login, hosts] = [authority.slice(0, hostsAt), authority.slice(hostsAt)];
  const parsed = hosts.split(',').map((host) => new URL(`${scheme}${login}${host}${rest}`));
  const [first] = parsed;
  return {
    nodes: parsed.map(({ hostname, port }) => ({
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: port === '' ? PORTS[mode] : Number(port),
    })),
    username: decoded(first?.username),
    password: decoded(first?.password),
    db: Number(first?.pathname.slice(1) ?? 0),
    isTls: first?.protocol === 'rediss:',
  };
}

function decoded(text = ''): string | undefined {
  return text === '' ? undefined : decodeURIComponent(text);
}
