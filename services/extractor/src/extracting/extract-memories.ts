import {
  type Claim,
  type Ended,
  listPinnedOutputs,
  type Material,
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
import type { createApplyAnswer } from './apply-answer.ts';
import type { createContextDocuments } from './context-documents.ts';
import { type EmbedTexts, embedOrLater } from './embed-candidates.ts';
import { wantedAfter } from './wanted-after.ts';
import type { createKnownContext } from './known-context.ts';
import type { createObtainAnswer } from './obtain-answer.ts';
import { type createObtainRest, isCut } from './obtain-rest.ts';
import type { Question } from './providers.ts';
import { toTranscriptMessage } from './to-transcript-message.ts';

/** What any preset shows to a model at most; the prompt shows what its own preset says. */
export const KNOWN_MEMORY_LIMIT = Math.max(
  ...Array.from(presets.values(), (preset) => preset.knownMemoryLimit),
);

export type ExtractDeps = Readonly<{
  database: Sql;
  loadKnown: ReturnType<typeof createKnownContext>;
  contextDocuments: ReturnType<typeof createContextDocuments>;
  obtainAnswer: ReturnType<typeof createObtainAnswer>;
  obtainRest: ReturnType<typeof createObtainRest>;
  /** Null when no embedding model is configured. */
  embedTexts: EmbedTexts | null;
  applyAnswer: ReturnType<typeof createApplyAnswer>;
  /** Has vectors computed for memories that lack them. */
  embedLater: (tenantId: string, memoryIds: readonly string[]) => Promise<void>;
  logger: Logger;
  now: () => Date;
}>;

const NO_PINS: ReadonlyMap<OutputPurpose, PinnedOutput> = new Map();
const NOTHING_SAID: ParsedReply = { status: 'empty', candidates: [], rejected: [] };

/**
 * The way of a claimed extraction: messages and known memories → model → pin → what was missing of a reply that broke
 * off → embed → reconcile with what is next to it → apply. Every step can be repeated: what has been pinned is not
 * asked again, what has been applied is not applied again. Resolves to the counts of what changed, and what comes next
 * in the conversation.
 *
 * @throws AppError of the model (`model_…`), `fenced`, `database_unavailable`, or the reason of `signal`
 */
export function createExtractMemories(deps: ExtractDeps) {
  return async function extractMemories(
    claim: Claim,
    material: Material,
    signal: AbortSignal,
  ): Promise<Ended & { counts: Record<string, number> }> {
    const preset = getPreset(claim.preset) ?? standard();
    const messages = material.messages.map((message) => toTranscriptMessage(message));
    const transcript = buildTranscript(messages, preset);
    const documents = deps.contextDocuments(claim, preset, material.hasDocuments);
    // The claim says that something is pinned; which of the answers it shows is of no matter.
    const pins = material.pinned === null ? NO_PINS : await listPinnedOutputs(deps.database, claim.id);
    const toQuestion = async (): Promise<Question | null> => {
      // Nobody said anything: then there is nothing to ask.
      if (transcript.text === '') return null;
      const isAll = material.known.length < KNOWN_MEMORY_LIMIT;
      const known = await deps.loadKnown(claim, { messages, preset, recent: material.known, isAll }, signal);
      const shown = await documents.shown(messages, signal);
      return { messages, transcript, known, documents: shown, preset, now: deps.now(), signal };
    };
    const answer = await deps.obtainAnswer(claim, pins.get('extract')?.output ?? null, toQuestion, signal);
    const rest =
      answer === null ? null : await deps.obtainRest(claim, answer, pins.get('continue'), toQuestion, signal);

    const parsed =
      answer === null
        ? NOTHING_SAID
        : withRest(
            parseReply(answer.raw, { allowLine: preset.reply === 'line' }),
            rest === null ? null : parseReply(rest.raw),
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
    const unsaid = await documents.leaveOutSaid(candidates, vectors);

    const applied = await deps.applyAnswer({
      claim,
      preset,
      candidates: unsaid.candidates,
      rejected: [...rejected, ...unsaid.rejected],
      vectors,
      wantsEmbedding: embedTexts !== null,
      embedMs: vectors === null ? null : Math.round(performance.now() - embedStartedAt),
      degraded: [
        ...(answer !== null && isCut(answer) ? ['reply_truncated'] : []),
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
      after: wantedAfter(preset),
    });
    if (applied.withoutVector.length > 0) await deps.embedLater(claim.tenantId, applied.withoutVector);
    return { counts: applied.counts, next: applied.next };
  };
}

/** A reply that broke off, and what came when it was asked to go on. */
function withRest(reply: ParsedReply, rest: ParsedReply | null): ParsedReply {
  if (rest === null) return reply;
  const counts = new Map(reply.rejected.map(({ reason, count }) => [reason, count]));
  for (const { reason, count } of rest.rejected) counts.set(reason, (counts.get(reason) ?? 0) + count);
  return {
    status: reply.status,
    candidates: [...reply.candidates, ...rest.candidates],
    rejected: [...counts].map(([reason, count]) => ({ reason, count })),
  };
}

function standard(): Preset {
  const preset = presets.get('standard');
  if (preset === undefined) throw new Error('the preset standard is missing');
  return preset;
}
