import { type Claim, renewLeases, type Sql } from '@factmill/database';
import { AppError } from '@factmill/errors';

/** A dead worker's extraction is free after this long; see claimExtraction. */
export const LEASE_MS = 8_000;
const RENEW_EVERY_MS = 2_500;

export type Leases = Readonly<{
  /** Keeps the claim's lease alive until `release`; the signal fires when it has been lost to another worker. */
  hold: (claim: Claim) => Readonly<{ signal: AbortSignal; release: () => void }>;
  close: () => void;
}>;

/** Renews the leases of everything that this process is working on, in one statement for all. */
export function createLeases(deps: { database: Sql }): Leases {
  const held = new Map<string, { claim: Claim; controller: AbortController }>();
  let renewing = false;
  const timer = setInterval(() => void renew(), RENEW_EVERY_MS);
  timer.unref();

  async function renew(): Promise<void> {
    const entries = [...held.values()];
    if (renewing || entries.length === 0) return;
    renewing = true;
    try {
      const lost = new Set(
        await renewLeases(
          deps.database,
          entries.map((entry) => entry.claim),
          LEASE_MS,
        ),
      );
      for (const { claim, controller } of entries) {
        if (lost.has(claim.id))
          controller.abort(new AppError('fenced', 'Another worker has this extraction.'));
      }
    } catch {
      // A database that is away renews nothing and lets nobody else claim either; the next tick tries again.
    } finally {
      renewing = false;
    }
  }

  return {
    hold(claim) {
      const controller = new AbortController();
      held.set(claim.id, { claim, controller });
      return {
        signal: controller.signal,
        release: () => {
          if (held.get(claim.id)?.claim.fence === claim.fence) held.delete(claim.id);
        },
      };
    },
    close() {
      clearInterval(timer);
    },
  };
}
