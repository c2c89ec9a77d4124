import type { Claim, PinnedOutput, Sql } from '@factmill/database';
import {
  buildReconcilePrompt,
  correctionOf,
  isTextRefusal,
  type CurrentMemory,
  mergedContent,
  type Prompts,
  readDecisions,
  type ReconcileQuestion,
  type Shown,
  shownOf,
  textsOfShown,
  toReconcileQuestion,
} from '@factmill/extraction';
import {
  findFresh,
  loadCurrentState,
  loadCurrentMemories,
  type Reconciliation,
  type WriteRequest,
} from '@factmill/memories';
import type { Provider } from './answer-providers.ts';
import { isRefusal } from './continue-truncated.ts';
import type { PinnedCalls } from './pinned-calls.ts';

export type ReconcileRequest = Readonly<{
  claim: Claim;
  /** The planned writes; compared from `relatedSimilarity` on. */
  write: WriteRequest;
  mode: 'near' | 'always';
  relatedSimilarity: number;
  pinned: PinnedOutput | undefined;
  signal: AbortSignal;
}>;

export type Reconciled = Readonly<{
  /** Null: all new memories are added unchanged. */
  reconciliation: Reconciliation | null;
  /** Merged contents that need vectors. */
  texts: readonly string[];
  /** The model gave no usable answer. */
  failed: boolean;
  /** Why merged texts were refused; words for the ledger. */
  refused: readonly string[];
}>;

const NOTHING_TO_DECIDE: Reconciled = { reconciliation: null, texts: [], failed: false, refused: [] };

/**
 * Asks the model how new and similar memories relate (E9), when there are any; pins the answer before it is used. A
 * reply that breaks the rules is asked for once more, with the faults named; after that, and when the model refuses,
 * all new memories are added.
 *
 * @throws AppError `fenced`, `database_unavailable`, or of the model when the provider is at fault and the extraction
 *   has used no attempt yet
 */
export function createReconcileCandidates(deps: {
  database: Sql;
  provider: Provider;
  prompts: Prompts;
  calls: PinnedCalls;
}) {
  return async function reconcileCandidates(request: ReconcileRequest): Promise<Reconciled> {
    const { pinned, write } = request;
    const shown = pinned === undefined ? null : shownOf(pinned.shown);
    if (pinned !== undefined && shown !== null) {
      const ids = shown.memories.map((memory) => memory.id);
      const memories = await loadCurrentMemories(deps.database, { ...write, ids });
      return use(request, shown, memories, pinned.output.raw);
    }
    const question = await findQuestion(request);
    if (question === null) return NOTHING_TO_DECIDE;
    try {
      const memories = new Map(question.memories.map((memory) => [memory.id, memory]));
      return use(request, question.shown, memories, await askTwice(request, question));
    } catch (error) {
      // An extraction that has used attempts would use up the rest here, and lose its facts.
      if (isRefusal(error) || (request.claim.attempts > 0 && isModelError(error)))
        return { ...NOTHING_TO_DECIDE, failed: true };
      throw error;
    }
  };

  async function findQuestion(request: ReconcileRequest): Promise<ReconcileQuestion | null> {
    const { write, mode, relatedSimilarity } = request;
    const current = await loadCurrentState(deps.database, write);
    return toReconcileQuestion({
      candidates: write.memories.map((memory) => memory.candidate),
      fresh: [...findFresh(write, current)],
      neighbours: current.neighbours,
      mode,
      relatedSimilarity,
    });
  }

  /** The raw reply to pin: the first if it follows the rules, else the second in any case. */
  async function askTwice(request: ReconcileRequest, question: ReconcileQuestion): Promise<string> {
    const { claim, signal } = request;
    const { complete } = deps.provider;
    if (complete === null) throw new Error('a provider that reconciles completes prompts');
    const { shown } = question;
    const memories = new Map(question.memories.map((memory) => [memory.id, memory]));
    const prompt = buildReconcilePrompt(deps.prompts, question, request.write.now);
    const context = { claim, purpose: 'reconcile', signal } as const;
    const first = await deps.calls.call(context, () => complete(prompt, [], signal));
    const read = readDecisions(first.output.raw, shown, textsOfShown(shown, question.candidates, memories));
    if (read.valid) {
      await deps.calls.keep(context, first, { status: 'pinned', shown });
      return first.output.raw;
    }
    await deps.calls.keep(context, first, { status: 'rejected', shown });
    const follow = [
      { role: 'assistant', content: first.output.raw.slice(0, 4_000) },
      { role: 'user', content: correctionOf(read.faults) },
    ] as const;
    const second = await deps.calls.call(context, () => complete(prompt, follow, signal));
    await deps.calls.keep(context, second, { status: 'pinned', shown });
    return second.output.raw;
  }
}

/** The meaning of a reply for this write. For a pinned reply it is computed again; it depends on nothing else. */
function use(
  { write, relatedSimilarity }: ReconcileRequest,
  shown: Shown,
  memories: ReadonlyMap<string, CurrentMemory>,
  raw: string,
): Reconciled {
  const candidates = write.memories.map((memory) => memory.candidate);
  const read = readDecisions(raw, shown, textsOfShown(shown, candidates, memories));
  // After one such text the rest of the reply is not trusted either.
  if (!read.valid) return { ...NOTHING_TO_DECIDE, failed: true, refused: read.faults.filter(isTextRefusal) };
  const { decisions } = read;
  const texts = decisions.flatMap((decision) => {
    const memory =
      decision.event === 'UPDATE' ? memories.get(shown.memories[decision.memory]?.id ?? '') : undefined;
    return memory === undefined || decision.event !== 'UPDATE' ? [] : [mergedContent(memory, decision.text)];
  });
  return { reconciliation: { shown, decisions, relatedSimilarity }, texts, failed: false, refused: [] };
}

function isModelError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('model_');
}
