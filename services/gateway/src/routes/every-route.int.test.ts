import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { OPERATIONS } from '@factmill/contracts';
import { GATEWAY_ROUTES } from '../../../../test/security/undocumented-routes.ts';
import { startUpstream, type UpstreamUnderTest } from '../chat/upstream.fixture.ts';
import { type GatewayUnderTest, startGateway } from '../gateway.fixture.ts';

/** What Express keeps of a route, a router, or an application inside of another. */
type Layer = Readonly<{
  rawPath?: string;
  route?: Readonly<{ path: string | readonly string[]; methods: Readonly<Record<string, boolean>> }>;
  handle: Readonly<{ stack?: readonly Layer[]; router?: Readonly<{ stack: readonly Layer[] }> }>;
}>;

let upstream: UpstreamUnderTest;
let gateway: GatewayUnderTest;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startGateway({ CHAT_BASE_URL: upstream.url });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

function plain(path: string): string {
  return path.replace(/\/+$/, '') || '/';
}

function routesOf(layers: readonly Layer[], mount = ''): string[] {
  return layers.flatMap(({ route, rawPath = '', handle }) => {
    if (route === undefined) {
      const inner = handle.stack ?? handle.router?.stack ?? [];
      return routesOf(inner, `${mount}${rawPath}`.replace(/\/+$/, ''));
    }
    const methods = route.methods['_all'] ? ['all'] : Object.keys(route.methods);
    const paths = [route.path].flat().map((path) => plain(`${mount}${path}`));
    return paths.flatMap((path) => methods.map((method) => `${method} ${path}`));
  });
}

const ANY_METHOD = 10;

test('every route of the application is an operation of the contract or on the list of the others', () => {
  const { stack } = gateway.app.router as unknown as { stack: readonly Layer[] };
  const found = new Set(routesOf(stack));
  // `all` on an application is each method on its own.
  const byPath = Map.groupBy(found, (route) => route.split(' ')[1] ?? '');
  const routes = [...byPath].flatMap(([path, of]) => (of.length > ANY_METHOD ? [`all ${path}`] : of));
  const declared = [
    ...OPERATIONS.map(({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    ...GATEWAY_ROUTES.map(({ method, path }) => `${method.toLowerCase()} ${plain(path)}`),
  ];
  expect(routes.sort()).toEqual(declared.sort());
});
