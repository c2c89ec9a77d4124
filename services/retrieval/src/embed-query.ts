import { untilAborted } from '@factmill/async';
import type { EmbeddingConfig } from '@factmill/config';
import { findEmbeddingModel, type Sql } from '@factmill/database';
import { isAppError } from '@factmill/errors';
import { type Embedder, type EmbeddingProfile, type EmbeddingUsage, readsMost } from '@factmill/models';
import type { UsageMeter } from '@factmill/runtime';
import type { EmbedQuery } from '@factmill/search';
import type { ModelInUse, ModelsInUse } from '@factmill/vectors';

export type EmbedQueryDeps = Readonly<{
  database: Sql;
  models: Pick<ModelsInUse, 'inUse'>;
  config: EmbeddingConfig;
  /** After this long, a search goes on with the text channel only. */
  queryTimeoutMs: number;
  /** Counts what calls of an endpoint cost. */
  usage: Pick<UsageMeter, 'recordLater'>;
  /** Milliseconds. */
  now: () => number;
}>;

/** After a timeout, searches skip the vector for this long instead of waiting one by one. */
const COOL_DOWN_MS = 5_000;

/**
 * Embeds queries with the model in use, within a time limit that includes asking the database which model that is.
 * Model errors never reject; only a database that cannot be read does. A model that is not registered has no stored
 * vectors and is not called. Null for a query in a language that the model does not read: its vector would be near to
 * anything of that language.
 */
export function createEmbedQuery(deps: EmbedQueryDeps): EmbedQuery {
  const { database, models, config, queryTimeoutMs, now } = deps;
  const timeoutMs =
    config.provider === 'openai' ? Math.min(config.timeoutMs, queryTimeoutMs) : queryTimeoutMs;
  const registered = new Set<string>();
  let restingUntilMs = 0;

  async function isRegistered(profile: EmbeddingProfile): Promise<boolean> {
    if (!registered.has(profile.id) && (await findEmbeddingModel(database, profile.id)) !== undefined) {
      registered.add(profile.id);
    }
    return registered.has(profile.id);
  }

  /**
   * The result of a call to the model, or the reason why there is none. Loading the model that comes with Factmill
   * happens once and may take as long as it needs; the time limit begins after it. One from ONNX files may have to be
   * fetched first, so no search waits for it longer than for an answer.
   */
  async function within<T>(
    call: (signal: AbortSignal, load: (embedder: Embedder) => Promise<void>) => Promise<T>,
  ): Promise<{ value: T } | { unavailable: string }> {
    if (now() < restingUntilMs) return { unavailable: 'timeout' };
    // Not AbortSignal.timeout: it cannot be cancelled, so each search would abort a signal two seconds later.
    const timeout = new AbortController();
    const startTimer = () =>
      setTimeout(() => {
        timeout.abort(new DOMException('The model took too long.', 'TimeoutError'));
      }, timeoutMs);
    let timer = startTimer();
    const load = async (embedder: Embedder): Promise<void> => {
      if (embedder.isLoaded()) return;
      if (config.provider === 'onnx') return untilAborted(embedder.load(), timeout.signal);
      clearTimeout(timer);
      await embedder.load();
      timer = startTimer();
    };
    try {
      return { value: await call(timeout.signal, load) };
    } catch (error) {
      if (timeout.signal.aborted) {
        restingUntilMs = now() + COOL_DOWN_MS;
        return { unavailable: 'timeout' };
      }
      if (isAppError(error) && error.code === 'database_unavailable') throw error;
      return { unavailable: isAppError(error) ? error.code : 'internal' };
    } finally {
      clearTimeout(timer);
    }
  }

  return async (query, { tenantId, userId }) => {
    const onUsage = ({ model, tokens }: EmbeddingUsage) =>
      deps.usage.recordLater(tenantId, {
        userId: userId ?? '',
        model,
        purpose: 'embedding',
        inputTokens: tokens,
        outputTokens: 0,
      });
    // One timer for both: timers cost as much as everything else here.
    const asked = await within(async (signal, load) => {
      const { embedder, isComplete }: ModelInUse = await untilAborted(models.inUse(), signal);
      await load(embedder);
      const profile = await embedder.loadProfile({ signal });
      const isKnown = profile !== null && registered.has(profile.id) && readsMost(profile, query);
      return {
        embedder,
        isComplete,
        profile,
        vectors: isKnown ? await embedder.embed([query], { signal, as: 'query', onUsage }) : null,
      };
    });
    if ('unavailable' in asked) return asked;
    const { embedder, isComplete, profile, vectors } = asked.value;
    if (profile === null) return { unavailable: 'no_provider' };
    if (!readsMost(profile, query)) return null;
    if (!(await isRegistered(profile))) return { unavailable: 'no_vectors' };
    const embedded =
      vectors === null
        ? await within((signal) => embedder.embed([query], { signal, as: 'query', onUsage }))
        : { value: vectors };
    if ('unavailable' in embedded) return embedded;
    const [vector] = embedded.value;
    return vector?.length === profile.dimensions
      ? { profile: { ...profile, reads: (text) => readsMost(profile, text) }, vector, isComplete }
      : { unavailable: 'wrong_dimensions' };
  };
}
