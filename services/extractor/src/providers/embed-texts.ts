import { findStoredVectors, type MemoryOwner, registerEmbeddingModel, type Sql } from '@factmill/database';
import { type AppError, isAppError } from '@factmill/errors';
import { contentHash } from '@factmill/extraction';
import { type Embedder, type EmbeddingUsage, readsWhole } from '@factmill/models';
import type { UsageMeter } from '@factmill/runtime';
import { type Logger, withSpan } from '@factmill/telemetry';
import { assertSameSize, type ModelsInUse } from '@factmill/vectors';
import { type Breaker, callThrough } from './breaker.ts';

/** Vectors by text, of one model, with its thresholds. */
export type Vectors = Readonly<{
  model: string;
  duplicateSimilarity: number;
  relatedSimilarity: number;
  /** False for a text with characters that the model cannot read: its vector may only be compared with itself. */
  reads: (text: string) => boolean;
  byText: ReadonlyMap<string, readonly number[]>;
}>;

type EmbedOptions = Readonly<{
  /** Users whose memories may already have vectors of these texts. */
  owners?: readonly MemoryOwner[];
  /** Whose work this is, one for each text or for all; the owners unless told. */
  payers?: readonly MemoryOwner[];
  /** Whether this call may probe a provider that is down; it may then take its whole time limit. Default true. */
  mayProbe?: boolean;
}>;

export type EmbedTexts = (
  texts: readonly string[],
  signal: AbortSignal,
  options?: EmbedOptions,
) => Promise<Vectors>;

export type EmbedTextsDeps = Readonly<{
  models: Pick<ModelsInUse, 'inUse'>;
  database: Sql;
  /** Of the configured endpoint; null for a local model, which is never down. */
  breaker: Breaker | null;
  /** Counts what calls of an endpoint cost. */
  usage: Pick<UsageMeter, 'recordLater'>;
  /** Called with the error when the endpoint's vectors do not fit; with null when they fit again. */
  onMismatch?: (error: AppError | null) => void;
  /** Milliseconds. */
  now: () => number;
}>;

/** A mismatch stays until an operator changes the endpoint, so it is checked rarely. */
const MISMATCH_RECHECK_MS = 60_000;

/**
 * Embeds texts with the model in use. Vectors from the process's cache or the database are not computed again.
 * Registers the model.
 *
 * @throws AppError of the embedder; `embedding_unavailable` while its provider is down; `embedding_mismatch` when the
 *   endpoint's vectors differ in size from the stored ones, then at once for a minute
 */
export function createEmbedTexts(deps: EmbedTextsDeps): EmbedTexts {
  const { models, database, breaker } = deps;
  const registered = new Set<string>();
  let mismatch: { error: AppError; untilMs: number } | null = null;

  return async (texts, signal, { owners = [], payers = owners, mayProbe = true } = {}) => {
    if (mismatch !== null && deps.now() < mismatch.untilMs) throw mismatch.error;
    try {
      const vectors = await embedAll([...new Set(texts)], signal, { owners, payers, mayProbe });
      if (mismatch !== null) deps.onMismatch?.(null);
      mismatch = null;
      return vectors;
    } catch (error) {
      if (isAppError(error) && error.code === 'embedding_mismatch') {
        if (mismatch === null) deps.onMismatch?.(error);
        mismatch = { error, untilMs: deps.now() + MISMATCH_RECHECK_MS };
      }
      throw error;
    }
  };

  async function embedAll(
    unique: readonly string[],
    signal: AbortSignal,
    { owners, payers, mayProbe }: Required<EmbedOptions>,
  ): Promise<Vectors> {
    const { embedder, endpoint, isLocal } = await models.inUse();
    // A look-up takes a millisecond of each extraction; the local model takes 5 for the few texts that it would find.
    const stored = isLocal ? new Map<string, number[]>() : await findStored(embedder, unique, owners);
    const missing = unique.filter((text) => !stored.has(text));
    const onUsage = (used: EmbeddingUsage) => bill(deps.usage, payers, used);
    const call = () => embedder.embed(missing, { signal, onUsage });
    const computed =
      breaker === null || isLocal || embedder.isCached(missing)
        ? await call()
        : await callThrough(breaker, { mayProbe, trustsOneFailure: true }, call);
    const profile = await embedder.loadProfile({ signal });
    if (profile === null) throw new Error('an embedder that embeds has a profile');
    if (!registered.has(profile.id)) {
      await assertSameSize(database, profile, endpoint);
      await registerEmbeddingModel(database, profile.id, profile.dimensions, endpoint);
      registered.add(profile.id);
    }
    const vectors = new Map(missing.map((text, index) => [text, computed[index] ?? []]));
    return {
      model: profile.id,
      duplicateSimilarity: profile.duplicateSimilarity,
      relatedSimilarity: profile.relatedSimilarity,
      reads: (text) => readsWhole(profile, text),
      byText: new Map([...stored, ...vectors]),
    };
  }

  async function findStored(
    embedder: Embedder,
    unique: readonly string[],
    owners: readonly MemoryOwner[],
  ): Promise<ReadonlyMap<string, readonly number[]>> {
    const model = embedder.profile?.id;
    if (model === undefined || owners.length === 0 || embedder.isCached(unique)) return new Map();
    const texts = new Map(unique.map((text) => [text, contentHash(text)]));
    return findStoredVectors(database, { model, owners, texts });
  }
}

/** For extractions: they do not wait for a probe; later jobs embed the texts. */
const LATER = { mayProbe: false };

/** Embeds, or resolves to null on failure: the vectors follow later (C13). */
export async function embedOrLater(
  embedTexts: EmbedTexts,
  texts: readonly string[],
  signal: AbortSignal,
  logger: Logger,
  options: Pick<EmbedOptions, 'owners' | 'payers'> = {},
): Promise<Vectors | null> {
  if (texts.length === 0) return null;
  try {
    return await withSpan('embed', { attributes: { texts: texts.length } }, () =>
      embedTexts(texts, signal, { ...LATER, ...options }),
    );
  } catch (error) {
    signal.throwIfAborted();
    if (isAppError(error) && error.code === 'database_unavailable') throw error;
    const code = isAppError(error) ? error.code : 'internal';
    // The call that found the outage or mismatch has logged it.
    const level = code === 'embedding_unavailable' || code === 'embedding_mismatch' ? 'debug' : 'warn';
    logger[level]({ code, texts: texts.length }, 'vectors follow later');
    return null;
  }
}

/** Shares the tokens of a call among those whose work it was, by how many of its texts were theirs. */
function bill(
  usage: EmbedTextsDeps['usage'],
  payers: readonly MemoryOwner[],
  { model, tokens }: EmbeddingUsage,
): void {
  let texts = 0;
  let billed = 0;
  for (const theirs of Map.groupBy(payers, ({ tenantId, userId }) => `${tenantId} ${userId}`).values()) {
    const [payer] = theirs;
    if (payer === undefined) continue;
    texts += theirs.length;
    const upTo = Math.round((tokens * texts) / payers.length);
    usage.recordLater(payer.tenantId, {
      userId: payer.userId,
      model,
      purpose: 'embedding',
      inputTokens: upTo - billed,
      outputTokens: 0,
    });
    billed = upTo;
  }
}
