import { AppError } from '@factmill/errors';
import type { Request, RequestHandler } from 'express';

/** Methods and paths that are served, as `get` and `/v1/memories/{id}`. */
export type KnownPath = Readonly<{ method: string; path: string }>;

/**
 * Answers 405 with `Allow` when a path exists but not with this method; passes on everything else. Express would
 * answer OPTIONS itself, for every caller, and takes a path of its own for an id (`/v1/memories/batch` for
 * `/v1/memories/{id}`), so both are answered before the routes; the rest after them.
 */
export function knownMethods(known: readonly KnownPath[]): {
  beforeRoutes: RequestHandler;
  afterRoutes: RequestHandler;
} {
  const paths = [...Map.groupBy(known, ({ path }) => path.toLowerCase())].map(([path, of]) => ({
    path,
    methods: of.flatMap(({ method }) => withHead(method.toUpperCase())),
  }));
  const literal = new Map(
    paths.flatMap(({ path, methods }) => (path.includes('{') ? [] : [[path, methods] as const])),
  );
  const patterns = paths.map(({ path, methods }) => ({ segments: path.split('/'), methods }));
  const afterRoutes: RequestHandler = (request, response, next) => {
    const path = pathOf(request);
    const methods =
      literal.get(path) ?? patterns.flatMap((one) => (matches(one.segments, path) ? one.methods : []));
    if (methods.length === 0) {
      next();
      return;
    }
    response.setHeader('Allow', [...new Set(methods)].sort().join(', '));
    throw new AppError(
      'method_not_allowed',
      'This path does not take this method; Allow says which it takes.',
    );
  };
  return {
    afterRoutes,
    beforeRoutes(request, response, next) {
      const isRefused = literal.get(pathOf(request))?.includes(request.method) === false;
      if (isRefused || request.method === 'OPTIONS') afterRoutes(request, response, next);
      else next();
    },
  };
}

/** As Express compares: in any case, with a slash at the end or without. */
function pathOf({ baseUrl, path }: Pick<Request, 'baseUrl' | 'path'>): string {
  return (baseUrl + path).toLowerCase().replace(/\/$/, '');
}

function matches(pattern: readonly string[], path: string): boolean {
  const asked = path.split('/');
  return (
    pattern.length === asked.length &&
    pattern.every((part, index) => (part.startsWith('{') ? asked[index] !== '' : part === asked[index]))
  );
}

function withHead(method: string): string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}
