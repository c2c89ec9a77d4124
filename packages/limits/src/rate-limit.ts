import { type Principal, principalOf } from '@factmill/auth';
import { AppError } from '@factmill/errors';
import type { Request, RequestHandler, Response } from 'express';
import type { CountLimited } from './limit-metrics.ts';
import type { Rate, RateOwner, Rates, Verdict } from './rate.ts';
import { pointsOf, type WorkClass, workOf, type WorkRequest } from './work.ts';

/** Null: no limit. */
export type TenantRates = Readonly<{ key: Rate | null; tenant: Rate | null }>;

export type RateLimitDeps = Readonly<{
  rates: Rates;
  /** The one place that knows the numbers of a tenant. */
  ratesOf: (tenantId: string) => TenantRates;
  /** Whether everybody is the same principal, who is not limited against himself. */
  isOpen: boolean;
  count: CountLimited;
}>;

/** The administrator's key of the environment has no id. */
const ADMIN_KEY_ID = 'admin';

export type RateLimit = Readonly<{
  /** Takes what a request costs as far as its address tells. After authentication, before the body is read. */
  limit: RequestHandler;
  /** Takes what the body adds to that. After the body is read. */
  limitByBody: RequestHandler;
}>;

/**
 * Limits the rate of each key and of each tenant. Every answer says what is left (`RateLimit`, `RateLimit-Policy`:
 * draft-ietf-httpapi-ratelimit-headers-10), a refusal also when to come back.
 *
 * @throws AppError `rate_limited`
 */
export function createRateLimit(deps: RateLimitDeps): RateLimit {
  async function take(principal: Principal, work: WorkClass, points: number, response: Response) {
    const { tenantId, keyId } = principal;
    if (points <= 0 || (deps.isOpen && keyId === null)) return;
    const { key, tenant } = deps.ratesOf(tenantId);
    const owners: readonly (readonly [RateOwner, Rate | null])[] = [
      [{ of: 'key', id: keyId ?? ADMIN_KEY_ID }, key],
      [{ of: 'tenant', id: tenantId }, tenant],
    ];
    const said: Said[] = [];
    for (const [owner, rate] of owners) {
      if (rate === null) continue;
      const verdict = await deps.rates.take(owner, rate, points);
      said.push({ of: owner.of, rate, verdict });
      setHeaders(response, said);
      if (verdict.isAllowed) continue;
      deps.count(owner.of, work);
      throw new AppError('rate_limited', REFUSED[owner.of], {
        retryAfterSeconds: Math.max(1, Math.ceil(verdict.resetMs / 1_000)),
      });
    }
  }

  return {
    limit: async (request, response, next) => {
      const work = workOf(workRequestOf(request));
      await take(principalOf(response), work, pointsOf(work), response);
      next();
    },
    limitByBody: async (request, response, next) => {
      const known = workRequestOf(request);
      const work = workOf({ ...known, body: request.body as unknown });
      await take(principalOf(response), work, pointsOf(work) - pointsOf(workOf(known)), response);
      next();
    },
  };
}

/** The request as its class is told by, without its body. */
export function workRequestOf(request: Request): WorkRequest {
  return { method: request.method, path: request.baseUrl + request.path, query: request.query };
}

const REFUSED = {
  key: 'This API key sends more requests than it may; wait as long as Retry-After says.',
  tenant:
    'All keys of this tenant together send more requests than they may; wait as long as Retry-After says.',
} as const;

type Said = Readonly<{ of: RateOwner['of']; rate: Rate; verdict: Verdict }>;

function setHeaders(response: Response, said: readonly Said[]): void {
  const list = (text: (one: Said) => string) => said.map(text).join(', ');
  response.setHeader(
    'RateLimit-Policy',
    list(({ of, rate }) => `"${of}";q=${rate.perSecond};w=1`),
  );
  response.setHeader(
    'RateLimit',
    list(({ of, verdict }) => `"${of}";r=${verdict.remaining};t=${Math.ceil(verdict.resetMs / 1_000)}`),
  );
}
