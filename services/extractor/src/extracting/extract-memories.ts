import type { Claim, Ended, Material } from '@factmill/database';
import {
  buildTranscript,
  type Candidate,
  getPreset,
  parseReply,
  type Preset,
  presets,
  toCandidates,
} from '@factmill/extraction';
import type { Logger } from '@factmill/telemetry';
import type { createApplyAnswer } from './apply-answer.ts';
import { type EmbedTexts, embedOrLater } from './embed-candidates.ts';
import { wantedAfter } from './wanted-after.ts';
import type { createObtainAnswer } from './obtain-answer.ts';
import type { ProviderWatch } from './provider-watch.ts';
import { toTranscriptMessage } from './to-transcript-message.ts';

/** What any preset shows to a model at most; the prompt shows what its own preset says. */
export const KNOWN_MEMORY_LIMIT = Math.max(
  ...Array.from(presets.values(), (preset) => preset.knownMemoryLimit),
);

export type ExtractDeps = Readonly<{
  watch: ProviderWatch;
  obtainAnswer: ReturnType<typeof createObtainAnswer>;
  /** Null when no embedding model is configured. */
  embedTexts: EmbedTexts | null;
  applyAnswer: ReturnType<typeof createApplyAnswer>;
  /** Has vectors computed for memories that lack them. */
  embedLater: (tenantId: string, memoryIds: readonly string[]) => Promise<void>;
  logger: Logger;
  now: () => Date;
}>;

/**
 * The way of a claimed extraction: messages and known memories → model → pin → embed → apply. Every step can be
 * repeated: what has been pinned is not asked again, what has been applied is not applied again. Resolves to the
 * counts of what changed, and what comes next in the conversation.
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
    const answer = await deps.obtainAnswer(
      claim,
      material.pinned,
      // Nobody said anything: then there is nothing to ask.
      () =>
        transcript.text === ''
          ? null
          : { messages, transcript, known: material.known, preset, now: deps.now(), signal },
      signal,
    );
    if (answer?.isNew === true) await deps.watch.answered(claim);

    const parsed =
      answer === null ? null : parseReply(answer.output.raw, { allowLine: preset.reply === 'line' });
    const { candidates, rejected } =
      parsed === null
        ? { candidates: [] as Candidate[], rejected: [] }
        : toCandidates(parsed, { messages, preset, now: deps.now() });

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
          );
    signal.throwIfAborted();

    const degraded = [
      ...(parsed?.status === 'truncated' || answer?.output.finishReason === 'length'
        ? ['reply_truncated']
        : []),
      // The rules read the messages themselves.
      ...(transcript.cut !== null && answer !== null && answer.output.provider !== 'extractive'
        ? ['transcript_cut']
        : []),
      ...(embedTexts !== null && vectors === null && candidates.length > 0 ? ['embedding_unavailable'] : []),
    ];
    const applied = await deps.applyAnswer({
      claim,
      candidates,
      rejected,
      vectors,
      wantsEmbedding: embedTexts !== null,
      embedMs: vectors === null ? null : Math.round(performance.now() - embedStartedAt),
      degraded: degraded.length === 0 ? null : degraded.join(','),
      after: wantedAfter(preset),
    });
    if (applied.withoutVector.length > 0) await deps.embedLater(claim.tenantId, applied.withoutVector);
    return { counts: applied.counts, next: applied.next };
  };
}

function standard(): Preset {
  const preset = presets.get('standard');
  if (preset === undefined) throw new Error('the preset standard is missing');
  return preset;
}
