import {
  type Claim,
  type Ended,
  type ExtractionInput,
  type listPinnedOutputs,
  type ModelOutput,
  type OutputPurpose,
  type PinnedOutput,
  type Sql,
} from '@factmill/database';
import {
  buildTranscript,
  type ParsedReply,
  parseReply,
  type Preset,
  presetNamed,
  presets,
  toCandidates,
  type Transcript,
} from '@factmill/extraction';
import type { Logger } from '@factmill/telemetry';
import { type EmbedTexts, embedOrLater } from '../providers/embed-texts.ts';
import type { Question } from './answer-providers.ts';
import type { createApplyAnswer } from './apply-answer.ts';
import type { createCallModel } from './call-model.ts';
import { type createContinueTruncated, isTruncated } from './continue-truncated.ts';
import type { createDropCovered } from './drop-covered.ts';
import type { createKnownContext } from './known-context.ts';
import { type KeptEntries, postApplyOf } from './post-apply.ts';
import type { createPromptDocuments } from './prompt-documents.ts';
import { toTranscriptMessage } from './to-transcript-message.ts';

/** The largest number of known memories in any preset; the prompt uses its own preset's. */
export const KNOWN_MEMORY_LIMIT = Math.max(
  ...Array.from(presets.values(), (preset) => preset.knownMemoryLimit),
);

export type ExtractDeps = Readonly<{
  database: Sql;
  /** The pinned answers of a run. */
  listPinned: typeof listPinnedOutputs;
  loadKnown: ReturnType<typeof createKnownContext>;
  promptDocuments: ReturnType<typeof createPromptDocuments>;
  dropCovered: ReturnType<typeof createDropCovered>;
  callModel: ReturnType<typeof createCallModel>;
  continueTruncated: ReturnType<typeof createContinueTruncated>;
  /** Null when no embedding model is configured. */
  embedTexts: EmbedTexts | null;
  applyAnswer: ReturnType<typeof createApplyAnswer>;
  kept: KeptEntries;
  /** Requests a job that embeds these memories. */
  embedLater: (tenantId: string, memoryIds: readonly string[]) => Promise<void>;
  logger: Logger;
  now: () => Date;
  /** Dates events. */
  timeZone: string;
}>;

const NO_PINS: ReadonlyMap<OutputPurpose, PinnedOutput> = new Map();
const NO_REPLY: ParsedReply = { status: 'empty', candidates: [], rejected: [] };

/**
 * The steps of a claimed extraction: messages and known memories → model → pin → continue a truncated reply → embed →
 * reconcile with similar memories → apply. Every step can be repeated: a pinned answer is not asked for again, an
 * applied one is not applied again. Resolves to the counts of changes, and the next extraction of the conversation.
 *
 * @throws AppError `model_…`, `fenced`, `database_unavailable`, or the reason of `signal`
 */
export function createExtractMemories(deps: ExtractDeps) {
  return async function extractMemories(
    claim: Claim,
    input: ExtractionInput,
    signal: AbortSignal,
  ): Promise<Ended & { counts: Record<string, number> }> {
    const preset = presetNamed(claim.preset);
    const messages = input.messages.map((message) => toTranscriptMessage(message));
    const transcript = buildTranscript(messages, preset);
    const { hasDocuments } = input;
    const documents = deps.promptDocuments(claim, preset, { hasDocuments, transcript: transcript.text });
    // The claim brings only one pinned answer; it also says whether there are any.
    const pins = input.pinned === null ? NO_PINS : await deps.listPinned(deps.database, claim);
    const toQuestion = async (): Promise<Question | null> => {
      // Without a transcript there is no question.
      if (transcript.text === '') return null;
      const isAll = input.known.length < KNOWN_MEMORY_LIMIT;
      const known = await deps.loadKnown(claim, { messages, preset, recent: input.known, isAll }, signal);
      const shown = await documents.shown(messages, signal);
      return { messages, transcript, known, documents: shown, preset, now: deps.now(), signal };
    };
    const shorten = async () => ((await documents.shorten()) ? toQuestion() : null);
    const pinned = pins.get('extract')?.output ?? null;
    const answered = await deps.callModel(claim, pinned, { toQuestion, shorten }, signal);
    const answer = answered?.output ?? null;
    const continuation =
      answer === null
        ? null
        : await deps.continueTruncated(claim, answer, pins.get('continue'), toQuestion, signal);

    const read = { messages, preset, now: deps.now(), timeZone: deps.timeZone };
    const { candidates, rejected } = toCandidates(readAnswer(answer, continuation, preset), read);

    const { embedTexts } = deps;
    const embedStartedAt = performance.now();
    const vectors =
      embedTexts === null
        ? null
        : await embedOrLater(
            embedTexts,
            candidates.map((candidate) => candidate.content),
            signal,
            deps.logger,
            { owners: [claim] },
          );
    signal.throwIfAborted();
    const fresh = await deps.dropCovered(claim, preset, { candidates, vectors, hasDocuments });

    const applied = await deps.applyAnswer({
      claim,
      preset,
      candidates: fresh.candidates,
      rejected: [...rejected, ...fresh.rejected],
      vectors,
      wantsEmbedding: embedTexts !== null,
      embedMs: vectors === null ? null : Math.round(performance.now() - embedStartedAt),
      degraded: [
        ...(answer === null ? [] : degradedOf(answer, transcript, await documents.areCut())),
        ...(embedTexts !== null && vectors === null && candidates.length > 0
          ? ['embedding_unavailable']
          : []),
      ],
      pinned: pins.get('reconcile'),
      unpinned: answered?.unpinned ?? null,
      signal,
      postApply: postApplyOf(preset, deps.kept),
    });
    if (applied.withoutVector.length > 0) await deps.embedLater(claim.tenantId, applied.withoutVector);
    return { counts: applied.counts, next: applied.next };
  };
}

/** What the model did not see or say in full. */
function degradedOf(answer: ModelOutput, transcript: Transcript, areDocumentsCut: boolean): string[] {
  // The rules read the messages themselves.
  const isPrompted = answer.provider !== 'extractive';
  return [
    ...(isTruncated(answer) ? ['reply_truncated'] : []),
    ...(isPrompted && transcript.cut !== null ? ['transcript_cut'] : []),
    ...(isPrompted && areDocumentsCut ? ['documents_cut'] : []),
  ];
}

function readAnswer(
  answer: ModelOutput | null,
  continuation: ModelOutput | null,
  preset: Preset,
): ParsedReply {
  if (answer === null) return NO_REPLY;
  return joinReplies(
    parseReply(answer.raw, { allowLine: preset.reply === 'line' }),
    continuation === null ? null : parseReply(continuation.raw),
  );
}

/** A truncated reply joined with its continuation. */
function joinReplies(reply: ParsedReply, continuation: ParsedReply | null): ParsedReply {
  if (continuation === null) return reply;
  const counts = new Map(reply.rejected.map(({ reason, count }) => [reason, count]));
  for (const { reason, count } of continuation.rejected)
    counts.set(reason, (counts.get(reason) ?? 0) + count);
  return {
    status: reply.status,
    candidates: [...reply.candidates, ...continuation.candidates],
    rejected: [...counts].map(([reason, count]) => ({ reason, count })),
  };
}
