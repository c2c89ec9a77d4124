import { isIP } from 'node:net';
import { z } from 'zod';
import { flag, splitList, nonNegativeInt, positiveInt } from './values.ts';

const hostName = z
  .string()
  .regex(/^(?:\[[\da-f:.]+\]|[\w.-]+)$/i, 'must be host names without ports, such as factmill.local')
  .transform((name) => name.toLowerCase());

const origin = z
  .string()
  .refine(
    (text) => URL.canParse(text) && new URL(text).origin === text && text !== 'null',
    'must be origins such as https://app.example.com',
  );

const PROXY_NETWORKS = new Set(['loopback', 'linklocal', 'uniquelocal']);

/** How many proxies stand before the gateway, or their addresses and networks. */
const trustedProxies = z
  .string()
  .regex(/^(?:\d{1,2}|(?:[\w:.]+(?:\/\d{1,3})?)(?:\s*,\s*[\w:.]+(?:\/\d{1,3})?)*)$/)
  .meta({ allowed: 'a number, or addresses and networks such as `10.0.0.0/8, loopback`' })
  .transform((text) => (/^\d{1,2}$/.test(text) ? Number(text) : text.split(',').map((part) => part.trim())))
  .refine((value) => typeof value === 'number' || value.every(isProxy), {
    error: 'must be a number of proxies, or addresses and networks such as 10.0.0.0/8, separated by commas',
  });

function isProxy(name: string): boolean {
  const [address = '', bits] = name.split('/');
  const most = isIP(address) === 6 ? 128 : 32;
  return PROXY_NETWORKS.has(name) || (isIP(address) !== 0 && (bits === undefined || Number(bits) <= most));
}

export const access = {
  AUTH: z.enum(['required', 'none']).optional().meta({
    description: '`required`: every request needs an API key. `none`: every caller may do everything.',
    unset: '`none` on a loopback `HOST`, else `required`',
  }),
  ALLOWED_HOSTS: z
    .string()
    .meta({ allowed: 'host names without ports, separated by commas' })
    .transform(splitList)
    .pipe(z.array(hostName))
    .optional()
    .meta({
      description:
        'More names that this server answers to while `AUTH` is `none`. `localhost`, `127.0.0.1`, `[::1]` and `HOST` always work; with `HOST=0.0.0.0` so does every address written as a number. With API keys every name works.',
      unset: 'no other names',
    }),
  ALLOWED_ORIGINS: z
    .string()
    .meta({ allowed: 'origins such as `https://app.example.com`, separated by commas' })
    .transform(splitList)
    .pipe(z.array(origin))
    .optional()
    .meta({
      description:
        "Web pages that may call from a browser. Behind a proxy that changes the `Host` header, add the proxy's own origin.",
      unset: 'none',
    }),
  ADMIN_API_KEY: z.string().min(24).max(256).optional().meta({
    secret: true,
    description: 'A key with all permissions in the default tenant. It is also an operator.',
    unset: 'make keys with `factmill keys create`',
  }),
  DEFAULT_USER_ID: z.string().min(1).max(256).default('unknown').meta({
    description:
      'The user of requests that name none and whose key names none. For `unknown` nothing is stored or searched.',
  }),
  TRUST_PROXY: trustedProxies.optional().meta({
    description: 'Proxies before the gateway whose `X-Forwarded-For` is believed: how many, or which.',
    unset: 'none; the address of a caller is that of its connection',
  }),
  RATE_LIMIT_KEY: nonNegativeInt.default(500).meta({
    description: 'Points a second of one API key; docs/access.md says what costs how many. 0: no limit.',
  }),
  RATE_LIMIT_TENANT: nonNegativeInt
    .default(1_000)
    .meta({ description: 'Points a second of all keys of a tenant together. 0: no limit.' }),
  RATE_LIMIT_BURST_S: nonNegativeInt.max(60).default(10).meta({
    description: "How many seconds' worth of points may come at once, on top of that, in any minute.",
  }),
  AUTH_FAILURES_PER_MINUTE: nonNegativeInt.default(100).meta({
    description:
      'Wrong API keys that one address may send in a minute. More of them are answered with 429. 0: no limit.',
  }),
  CONSOLE: flag.default(true).meta({
    description: 'The console at `/console`. Without it, sessions of browsers are no keys.',
  }),
  CONSOLE_WRITABLE: flag.default(true).meta({
    description: 'Whether the console may change anything. What it may do beyond reading, its key says.',
  }),
  BULL_BOARD_WRITABLE: flag.default(false).meta({
    description:
      'Whether the queue board at `/admin/queues` may retry, promote and remove jobs. It needs the permission `operator` as well.',
  }),
  MAX_BODY_BYTES: positiveInt
    .max(64 * 1024 * 1024)
    .default(4 * 1024 * 1024)
    .meta({ description: 'Largest request body.' }),
  BODY_BUDGET_BYTES: positiveInt.default(64 * 1024 * 1024).meta({
    description:
      'What all large requests may hold in the memory of one process together. More of them wait, then get 503.',
  }),
  BODY_TIMEOUT_MS: positiveInt.max(300_000).default(60_000).meta({
    description: 'How long a request body may take to arrive. The body of a chat has twice as long.',
  }),
  MAX_CONNECTIONS: positiveInt.max(100_000).default(2_000).meta({
    description:
      'Connections that one process serves at once; more are closed at once. An idle one takes 20 to 40 KB.',
  }),
};
