import { type Principal, principalOf } from '@factmill/auth';
import { isAppError } from '@factmill/errors';
import { localsOf } from '@factmill/http';
import type { RequestHandler, Response } from 'express';

/** As `authenticate`, and lets a request pass that is nobody's. */
export function orNobody(authenticate: RequestHandler): RequestHandler {
  return async (request, response, next) => {
    try {
      await authenticate(request, response, next);
    } catch (error) {
      if (!isAppError(error) || error.kind !== 'unauthorized') throw error;
      next();
    }
  };
}

/** The caller of a request that may be nobody's. */
export function signedIn(response: Response): Principal | null {
  return localsOf(response).principal === undefined ? null : principalOf(response);
}
