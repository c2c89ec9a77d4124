import type { Sql } from '@factmill/database';
import { isAppError } from '@factmill/errors';
import type { JobOutcome } from '@factmill/queue';
import type { Logger } from '@factmill/telemetry';
import type { EmbedTexts, Vectors } from '../providers/embed-texts.ts';

const BATCH = 32;
/** A run ends after this long and goes on as a new one, so that the vectors of memories need not wait for a book. */
const RUN_MS = 5_000;
const REST_MS = 50;

type Key = Readonly<{ id: string; tenantId: string }>;
type Waiting = Key & Readonly<{ userId: string; content: string }>;

/** Texts of one kind that wait for their vectors, each taken by one worker at a time. */
export type WaitingTexts = Readonly<{
  /** The name of a count of them in a job's outcome. */
  name: string;
  take: (sql: Sql, limit: number) => Promise<Waiting[]>;
  release: (sql: Sql, texts: readonly Key[]) => Promise<void>;
  /** Of texts that the model refuses, or does not read. */
  giveUp: (sql: Sql, texts: readonly Key[]) => Promise<void>;
  save: (
    sql: Sql,
    model: string,
    vectors: readonly (Key & Readonly<{ vector: readonly number[] }>)[],
  ) => Promise<void>;
}>;

export type EmbedTakenDeps = Readonly<{
  database: Sql;
  /** Null when no embedding model is configured. */
  embedTexts: EmbedTexts | null;
  waiting: WaitingTexts;
  logger: Logger;
  /** Milliseconds. */
  now: () => number;
}>;

/**
 * The part of the `embed` job that computes the vectors of what is taken: a page at a time and for a few seconds, then
 * asks to be run again. One run at a time in a process; those of several processes take different texts. When the
 * model is away it ends, and the sweeper asks again.
 */
export function createEmbedTaken(deps: EmbedTakenDeps) {
  const { waiting } = deps;
  let running = false;

  return async function embedTaken(signal: AbortSignal): Promise<JobOutcome> {
    const { embedTexts } = deps;
    if (embedTexts === null || running) return { kind: 'done', counts: { [waiting.name]: 0 } };
    running = true;
    try {
      return await run(embedTexts, signal);
    } finally {
      running = false;
    }
  };

  async function run(embedTexts: EmbedTexts, signal: AbortSignal): Promise<JobOutcome> {
    const endAt = deps.now() + RUN_MS;
    let embedded = 0;
    for (;;) {
      signal.throwIfAborted();
      const taken = await waiting.take(deps.database, BATCH);
      if (taken.length === 0) return { kind: 'done', counts: { [waiting.name]: embedded } };
      try {
        await embedOrSplit(embedTexts, taken, signal);
      } catch (error) {
        // Those that cannot be given back are free again when their lease is over.
        await waiting.release(deps.database, taken).catch(() => undefined);
        if (signal.aborted || !isAppError(error)) throw error;
        deps.logger.warn({ code: error.code, [waiting.name]: embedded }, 'vectors are still missing');
        return { kind: 'done', counts: { [waiting.name]: embedded, unavailable: 1 } };
      }
      embedded += taken.length;
      if (deps.now() >= endAt) return { kind: 'delay', ms: REST_MS };
    }
  }

  /** One text that the model refuses must not keep all others waiting: it is found, and given up alone. */
  async function embedOrSplit(
    embedTexts: EmbedTexts,
    taken: readonly Waiting[],
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await save(await embedTexts(taken.map(textOf), signal, { payers: taken }), taken);
    } catch (error) {
      if (!isAppError(error) || error.code !== 'model_input') throw error;
      const [first] = taken;
      if (first === undefined) return;
      if (taken.length === 1) {
        deps.logger.warn({ kind: waiting.name, id: first.id }, 'the embedding model refuses a text');
        await waiting.giveUp(deps.database, [first]);
        return;
      }
      const middle = Math.ceil(taken.length / 2);
      await embedOrSplit(embedTexts, taken.slice(0, middle), signal);
      await embedOrSplit(embedTexts, taken.slice(middle), signal);
    }
  }

  async function save({ model, byText }: Vectors, taken: readonly Waiting[]): Promise<void> {
    const vectors = taken.map((one) => ({
      tenantId: one.tenantId,
      id: one.id,
      vector: byText.get(textOf(one)) ?? [],
    }));
    await waiting.save(deps.database, model, vectors);
  }
}

/** Texts end where they were cut, often in the middle of white space. */
function textOf({ content }: Waiting): string {
  return content.replaceAll(/\s+/g, ' ').trim();
}
