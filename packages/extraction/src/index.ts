export { contentHash, normaliseKey, normaliseText } from './content-hash.ts';
export { toCandidates } from './candidates.ts';
export * from './compression/index.ts';
export { extractFromMessages, type ExtractOptions } from './extractive/extract.ts';
export { factSentence } from './fact-sentence.ts';
export { parseReply } from './reply/parse-reply.ts';
export { serializeReply, type ReplyItem } from './reply/serialize-reply.ts';
export { planChanges, type Change } from './plan-changes.ts';
export { getPreset, PRESET_NAMES, presets } from './presets.ts';
export type { Preset, TriggerSettings } from './presets/preset.ts';
export { buildPrompt, PROMPT_PLACEHOLDERS, type Prompt, type PromptMessage } from './prompt.ts';
export {
  factsAndContextTemplate,
  fillPlaceholders,
  placeholdersOf,
  promptVersionOf,
  unknownPlaceholders,
  type PromptTemplate,
} from './prompt-template.ts';
export { replySchemaOf, type ReplySchema } from './reply-schema.ts';
export { estimateTokens } from './token-estimate.ts';
export { buildTranscript, stripInjectedPostfixes, type Transcript } from './transcript.ts';
export type {
  Candidate,
  CandidateKind,
  KnownMemory,
  ParsedReply,
  RawCandidate,
  Rejection,
  Tier,
  TranscriptMessage,
} from './types.ts';
