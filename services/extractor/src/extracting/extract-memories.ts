import {
  type Claim,
  type Ended,
  type ExtractionInput,
  listPinnedOutputs,
  type OutputPurpose,
  type PinnedOutput,
  type Sql,
} from '@factmill/database';
import {
  buildTranscript,
  getPreset,
  type ParsedReply,
  parseReply,
  type Preset,
  presets,
  toCandidates,
} from '@factmill/extraction';
import type { Logger } from '@factmill/telemetry';
import { type EmbedTexts, embedOrLater } from '../providers/embed-texts.ts';
import type { Question } from './answer-providers.ts';
import type { createApplyAnswer } from './apply-answer.ts';
import type { createCallModel } from './call-model.ts';
import type { createContextDocuments } from './context-documents.ts';
import { type createContinueTruncated, isTruncated } from './continue-truncated.ts';
import type { createKnownContext } from './known-context.ts';
import { postApplyOf } from './post-apply.ts';
import { toTranscriptMessage } from './to-transcript-message.ts';

/** The largest number of known memories in any preset; the prompt uses its own preset's. */
export const KNOWN_MEMORY_LIMIT = Math.max(
  ...Array.from(presets.values(), (preset) => preset.knownMemoryLimit),
);

export type ExtractDeps = Readonly<{
  database: Sql;
  loadKnown: ReturnType<typeof createKnownContext>;
  contextDocuments: ReturnType<typeof createContextDocuments>;
  callModel: ReturnType<typeof createCallModel>;
  continueTruncated: ReturnType<typeof createContinueTruncated>;
  /** Null when no embedding model is configured. */
  embedTexts: EmbedTexts | null;
  applyAnswer: ReturnType<typeof createApplyAnswer>;
  /** Requests a job that embeds these memories. */
  embedLater: (tenantId: string, memoryIds: readonly string[]) => Promise<void>;
  logger: Logger;
  now: () => Date;
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
    const preset = getPreset(claim.preset) ?? standard();
    const messages = input.messages.map((message) => toTranscriptMessage(message));
    const transcript = buildTranscript(messages, preset);
    const documents = deps.contextDocuments(claim, preset, input.hasDocuments);
    // The claim brings only one pinned answer; it also says whether there are any.
    const pins = input.pinned === null ? NO_PINS : await listPinnedOutputs(deps.database, claim.id);
    const toQuestion = async (): Promise<Question | null> => {
      // Without a transcript there is no question.
      if (transcript.text === '') return null;
      const isAll = input.known.length < KNOWN_MEMORY_LIMIT;
      const known = await deps.loadKnown(claim, { messages, preset, recent: input.known, isAll }, signal);
      const shown = await documents.shown(messages, signal);
      return { messages, transcript, known, documents: shown, preset, now: deps.now(), signal };
    };
    const answer = await deps.callModel(claim, pins.get('extract')?.output ?? null, toQuestion, signal);
    const continuation =
      answer === null
        ? null
        : await deps.continueTruncated(claim, answer, pins.get('continue'), toQuestion, signal);

    const parsed =
      answer === null
        ? NO_REPLY
        : joinReplies(
            parseReply(answer.raw, { allowLine: preset.reply === 'line' }),
            continuation === null ? null : parseReply(continuation.raw),
          );
    const { candidates, rejected } = toCandidates(parsed, { messages, preset, now: deps.now() });

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
            [claim],
          );
    signal.throwIfAborted();
    const fresh = await documents.dropCovered(candidates, vectors);

    const applied = await deps.applyAnswer({
      claim,
      preset,
      candidates: fresh.candidates,
      rejected: [...rejected, ...fresh.rejected],
      vectors,
      wantsEmbedding: embedTexts !== null,
      embedMs: vectors === null ? null : Math.round(performance.now() - embedStartedAt),
      degraded: [
        ...(answer !== null && isTruncated(answer) ? ['reply_truncated'] : []),
        // The rules read the messages themselves.
        ...(transcript.cut !== null && answer !== null && answer.provider !== 'extractive'
          ? ['transcript_cut']
          : []),
        ...(embedTexts !== null && vectors === null && candidates.length > 0
          ? ['embedding_unavailable']
          : []),
      ],
      pinned: pins.get('reconcile'),
      signal,
      postApply: postApplyOf(preset),
    });
    if (applied.withoutVector.length > 0) await deps.embedLater(claim.tenantId, applied.withoutVector);
    return { counts: applied.counts, next: applied.next };
  };
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

function standard(): Preset {
  const preset = presets.get('standard');
  if (preset === undefined) throw new Error('the preset standard is missing');
  return preset;
}
