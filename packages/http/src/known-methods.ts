import { AppError } from '@factmill/errors';
import type { RequestHandler } from 'express';

/** Methods and paths that are served, as `get` and `/v1/memories/{id}`. */
export type KnownPath = Readonly<{ method: string; path: string }>;

/**
 * Answers 405 with `Allow` when a path exists but not with this method; passes on everything else. Express would
 * answer OPTIONS itself, for every caller, so this runs before the routes for OPTIONS and after them for the rest.
 */
export function knownMethods(known: readonly KnownPath[]): {
  beforeRoutes: RequestHandler;
  afterRoutes: RequestHandler;
} {
  const paths = [...Map.groupBy(known, ({ path }) => path)].map(([path, of]) => ({
    segments: segmentsOf(path),
    methods: of.map(({ method }) => method.toUpperCase()),
  }));
  const afterRoutes: RequestHandler = (request, response, next) => {
    const asked = segmentsOf(request.baseUrl + request.path);
    const methods = paths.flatMap((known) => (matches(known.segments, asked) ? known.methods : []));
    if (methods.length === 0) {
      next();
      return;
    }
    response.setHeader('Allow', [...new Set(methods.flatMap(withHead))].sort().join(', '));
    throw new AppError(
      'method_not_allowed',
      'This path does not take this method; Allow says which it takes.',
    );
  };
  return {
    afterRoutes,
    beforeRoutes(request, response, next) {
      if (request.method === 'OPTIONS') afterRoutes(request, response, next);
      else next();
    },
  };
}

/** As Express compares: in any case, with a slash at the end or without. */
function segmentsOf(path: string): string[] {
  return path.toLowerCase().replace(/\/$/, '').split('/');
}

function matches(pattern: readonly string[], asked: readonly string[]): boolean {
  return (
    pattern.length === asked.length &&
    pattern.every((part, index) => (part.startsWith('{') ? asked[index] !== '' : part === asked[index]))
  );
}

function withHead(method: string): string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}
