import { costOf, type ModelPrices } from '@factmill/config';
import { type BudgetWarning, recordUsage, type Sql, type UsageEntry } from '@factmill/database';
import { isAppError } from '@factmill/errors';
import { createCounter, type Logger, seriesOf } from '@factmill/telemetry';

/** One call of a model, by the model's own figures. */
export type MeteredCall = Pick<UsageEntry, 'userId' | 'model' | 'purpose'> &
  Readonly<{ inputTokens: number; outputTokens: number }>;

export type UsageMeter = Readonly<{
  /** The entry of a call with its price, for callers that store it together with the answer. */
  entryOf: (call: MeteredCall) => UsageEntry;
  /** Counts a call now. Never rejects: what cannot be stored now is stored later. */
  record: (tenantId: string, call: MeteredCall) => Promise<void>;
  /** Counts a call within a second, for callers that do not wait. */
  recordLater: (tenantId: string, call: MeteredCall) => void;
  /** Reports budgets of which 80 or 100 % are spent. */
  warn: (tenantId: string, warnings: readonly BudgetWarning[]) => void;
  /** Stores what is left and stops. */
  close: () => Promise<void>;
}>;

export type UsageMeterDeps = Readonly<{
  database: Sql;
  prices: ModelPrices;
  logger: Logger;
  intervalMs?: number;
  /** Says of which day a call is that is stored later. Default: the clock of the machine. */
  now?: () => Date;
}>;

const INTERVAL_MS = 1_000;

/**
 * Counts what calls of models cost, by tenant, user, model, purpose and day. While the database is away the sums wait
 * here, one for each of these, however many calls there are.
 */
export function createUsageMeter(deps: UsageMeterDeps): UsageMeter {
  const countWarnings = createCounter(
    'factmill_budget_warnings_total',
    'Budgets of which 80 or 100 % were spent, by period and unit',
    seriesOf({ percent: ['80', '100'], period: ['day', 'month'], unit: ['tokens', 'cost'] }),
  );
  const { now = () => new Date() } = deps;
  const waiting = new Map<string, { tenantId: string; entry: UsageEntry }>();
  let writing: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    writing = writing.then(flush);
  }, deps.intervalMs ?? INTERVAL_MS);
  timer.unref();

  function entryOf({ inputTokens, outputTokens, ...call }: MeteredCall): UsageEntry {
    const cost = costOf(deps.prices, call.model, { input: inputTokens, output: outputTokens });
    return { ...call, calls: 1, inputTokens, outputTokens, cost };
  }

  function keep(tenantId: string, entry: UsageEntry): void {
    const { userId, model, purpose, day = now().toISOString().slice(0, 10) } = entry;
    const key = JSON.stringify([tenantId, userId, model, purpose, day]);
    const known = waiting.get(key)?.entry;
    waiting.set(key, { tenantId, entry: known === undefined ? { ...entry, day } : sum(known, entry) });
  }

  function warn(tenantId: string, warnings: readonly BudgetWarning[]): void {
    for (const { level, period, unit, amount, spent } of warnings) {
      countWarnings(1, { percent: String(level), period, unit });
      deps.logger.warn(
        { tenant_id: tenantId, percent: level, period, unit, amount, spent },
        level === 100 ? 'a budget is used up; extractions wait' : 'a budget is nearly used up',
      );
    }
  }

  async function write(tenantId: string, entries: readonly UsageEntry[]): Promise<void> {
    try {
      warn(tenantId, await recordUsage(deps.database, tenantId, entries));
    } catch (error) {
      for (const entry of entries) keep(tenantId, entry);
      deps.logger.debug({ code: isAppError(error) ? error.code : 'internal' }, 'usage is counted later');
    }
  }

  async function flush(): Promise<void> {
    const batch = [...waiting.values()];
    waiting.clear();
    const byTenant = Map.groupBy(batch, ({ tenantId }) => tenantId);
    for (const [tenantId, kept] of byTenant) {
      await write(
        tenantId,
        kept.map(({ entry }) => entry),
      );
    }
  }

  return {
    entryOf,
    record: (tenantId, call) => write(tenantId, [entryOf(call)]),
    recordLater: (tenantId, call) => keep(tenantId, entryOf(call)),
    warn,
    close: async () => {
      clearInterval(timer);
      await writing;
      await flush();
    },
  };
}

function sum(left: UsageEntry, right: UsageEntry): UsageEntry {
  return {
    ...left,
    calls: left.calls + right.calls,
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    cost: left.cost === null || right.cost === null ? (left.cost ?? right.cost) : left.cost + right.cost,
  };
}
