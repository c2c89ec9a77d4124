import type { Express, Request } from 'express';

/** The name of a request in logs, spans and metrics: taken from the route table, never from the address. */
export type RouteNames = Readonly<{
  /** The pattern of the matched route with its mount path; `none` without one. */
  of: (request: Request) => string;
  /** Reads the route table. Call once all routes are added; before that every route is `none`. */
  read: () => void;
}>;

/** The part of Express's router that we read: a router function has layers; a layer holds a route or a handler. */
type Layer = Readonly<{ route?: Readonly<{ path?: unknown }>; handle?: unknown }>;
type WithStack = Readonly<{ stack: readonly Layer[] }>;

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** A method as a metric label: a known one, or `OTHER`. */
export function methodName(method: string): string {
  return METHODS.has(method) ? method : 'OTHER';
}

/**
 * The names of an application's routes. Express forgets a router's mount path, and `baseUrl` too by the time it
 * answers an error, so this records the paths given to `app.use`. Call before adding routes.
 */
export function nameRoutes(app: Express): RouteNames {
  const mounts = new Map<unknown, string>();
  const names = new WeakMap<object, string>();
  const use = app.use.bind(app) as (...handlers: unknown[]) => Express;
  app.use = ((...given: unknown[]) => {
    const [path, ...handlers] = given;
    if (typeof path === 'string') for (const handler of handlers.flat()) mounts.set(handler, path);
    return use(...given);
  }) as Express['use'];

  function visit({ stack }: WithStack, mount: string): void {
    for (const { route, handle } of stack) {
      if (route === undefined) {
        if (hasStack(handle)) visit(handle, mount + (mounts.get(handle) ?? ''));
      } else if (typeof route.path === 'string') {
        names.set(route, `${mount}${route.path}`.replace(/(?<=.)\/$/, ''));
      }
    }
  }

  return {
    of: (request) => names.get((request.route as object | undefined) ?? app) ?? 'none',
    read: () => visit(app.router, ''),
  };
}

function hasStack(handler: unknown): handler is WithStack {
  return typeof handler === 'function' && 'stack' in handler && Array.isArray(handler.stack);
}
