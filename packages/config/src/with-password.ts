/** The parts of an address that matter here: scheme, user, password, and hosts with all that follows. */
const ADDRESS = /^([a-z]+:\/\/)(?:([^:@/?#]*)(?::([^@/?#]*))?@)?(.*)$/i;

/** An address with this password, unless it has one of its own. Null without an address. */
export function withPassword(address: string | undefined, password: string | undefined): string | null {
  if (address === undefined) return null;
  const [, scheme = '', user = '', own = '', rest = ''] = ADDRESS.exec(address) ?? [];
  if (password === undefined || own !== '') return address;
  return `${scheme}${user}:${encodeURIComponent(password)}@${rest}`;
}
