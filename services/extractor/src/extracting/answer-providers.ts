import type { ModelOutput } from '@factmill/database';
import {
  buildPrompt,
  type KnownDocument,
  type KnownMemory,
  type Preset,
  type Prompts,
  replySchemaOf,
  type Prompt,
  type TranscriptMessage,
  type Transcript,
} from '@factmill/extraction';
import { extractInTurns } from '@factmill/extractive';
import { type ChatMessage, type ChatModel, type ChatRequest, receivedReplyOf } from '@factmill/models';
import { noteOutput } from './failed-output.ts';

export type Question = Readonly<{
  messages: readonly TranscriptMessage[];
  transcript: Transcript;
  known: readonly KnownMemory[];
  /** The relevant parts of the user's documents. */
  documents: readonly KnownDocument[];
  preset: Preset;
  now: Date;
  signal: AbortSignal;
}>;

/** Turns a conversation into a reply with memories: a chat model, or the rules. */
export type Provider = Readonly<{
  name: 'extractive' | 'openai';
  /** Whether the question includes known memories. */
  wantsKnown: boolean;
  /** Asking again costs nothing, so an answer is stored together with its memories instead of before them. */
  isFree: boolean;
  /** Asks once. */
  ask: (question: Question) => Promise<ModelOutput>;
  /** Asks again after an unreadable reply; null when that cannot help. */
  repair: ((question: Question, invalid: ModelOutput) => Promise<ModelOutput>) | null;
  /** Asks again with twice the output limit, after a reply that was truncated before any item was complete. */
  retryWithMoreTokens: ((question: Question) => Promise<ModelOutput>) | null;
  /** Asks for the missing part of a truncated reply. */
  continueTruncated: ((question: Question, truncated: ModelOutput) => Promise<ModelOutput>) | null;
  /** Asks another question; null when only rules answer. */
  complete:
    ((prompt: Prompt, follow: readonly ChatMessage[], signal: AbortSignal) => Promise<ModelOutput>) | null;
}>;

/** Rules, no model: the default when none is configured (G15). */
export function createExtractiveProvider({ keepsOwnWords }: Readonly<{ keepsOwnWords: boolean }>): Provider {
  return {
    name: 'extractive',
    wantsKnown: false,
    isFree: true,
    async ask(question) {
      return {
        provider: 'extractive',
        model: 'extractive',
        promptVersion: 'rules',
        raw: await extractInTurns(question.messages, {
          keepsOwnWords: keepsOwnWords && question.preset.keepsOwnWords,
          signal: question.signal,
        }),
        finishReason: 'stop',
        promptTokens: null,
        completionTokens: null,
      };
    },
    repair: null,
    retryWithMoreTokens: null,
    continueTruncated: null,
    complete: null,
  };
}

/** The same model for each purpose. */
export type PurposeModels = Readonly<Record<'extraction' | 'reconcile', ChatModel>>;

/** An OpenAI-compatible chat model. */
export function createChatProvider(models: PurposeModels, prompts: Prompts): Provider {
  async function complete(
    model: ChatModel,
    prompt: Prompt,
    follow: readonly ChatMessage[],
    options: Omit<ChatRequest, 'messages'>,
  ): Promise<ModelOutput> {
    const given = { provider: 'openai', promptVersion: prompt.promptVersion };
    try {
      const reply = await model.complete({ messages: [...prompt.messages, ...follow], ...options });
      const { text: raw, finishReason, usage } = reply;
      return { ...given, model: reply.model, raw, finishReason, ...usage };
    } catch (error) {
      const received = receivedReplyOf(error);
      if (received === undefined) throw error;
      throw noteOutput(error, { ...given, ...received, model: received.model ?? model.name });
    }
  }
  function ask(question: Question, follow: readonly ChatMessage[], outputFactor = 1): Promise<ModelOutput> {
    const prompt = buildPrompt({
      prompts,
      preset: question.preset,
      transcript: question.transcript,
      knownMemories: question.known,
      documents: question.documents,
      now: question.now,
    });
    const schema = replySchemaOf(question.preset);
    return complete(models.extraction, prompt, follow, {
      ...(schema === null ? {} : { schema }),
      // A one-line reply is read while it arrives (B4); JSON is useless before its end.
      ...(question.preset.reply === 'line' ? { stream: true } : {}),
      // An empty reply counts as an answer: it is read, kept and asked again like any other.
      mayBeEmpty: true,
      signal: question.signal,
      outputFactor,
    });
  }
  return {
    name: 'openai',
    wantsKnown: true,
    isFree: false,
    ask: (question) => ask(question, []),
    repair: (question, invalid) =>
      ask(question, [
        { role: 'assistant', content: invalid.raw.slice(0, 4_000).trim() || '(nothing)' },
        { role: 'user', content: REPAIR[question.preset.reply] },
      ]),
    retryWithMoreTokens: (question) => ask(question, [], 2),
    continueTruncated: (question, truncated) =>
      ask(question, [
        { role: 'assistant', content: truncated.raw.slice(0, MAX_RECEIVED_CHARACTERS) },
        { role: 'user', content: CONTINUE },
      ]),
    complete: (prompt, follow, signal) => complete(models.reconcile, prompt, follow, { signal }),
  };
}

/** By the reply format of the preset. */
const REPAIR: Readonly<Record<Preset['reply'], string>> = {
  json: 'That reply could not be read. Answer again with nothing but the JSON in the required format.',
  line: 'That reply could not be read. Answer again with exactly one line: NOTHING or the single fact.',
};

/** How much of a truncated reply is sent back to the model. */
const MAX_RECEIVED_CHARACTERS = 16_000;

const CONTINUE =
  'Your reply broke off there. Every item that is complete in it has been received. Answer with the remaining items only, in the same format, and with none of those again; if there are none, with the format’s empty answer.';
