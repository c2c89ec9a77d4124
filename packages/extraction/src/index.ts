export { contentHash, normaliseKey, normaliseText } from './content-hash.ts';
export { toCandidates } from './candidates.ts';
export * from './compression/index.ts';
export { factSentence } from './fact-sentence.ts';
export { parseReply } from './reply/parse-reply.ts';
export { serializeReply } from './reply/serialize-reply.ts';
export { addsNoWords, distinguishingWords } from './dedup/distinguishing-words.ts';
export type { CurrentMemory, Neighbour } from './dedup/similar.ts';
export { planChanges, type Change } from './plan-changes.ts';
export { getPreset, presetNamed, presets } from './presets.ts';
export type { Preset } from './presets/preset.ts';
export { buildPrompt, type KnownDocument, type Prompt } from './prompts/build-prompt.ts';
export { resolvePrompts } from './prompts/resolve-prompts.ts';
export { parseTemplate, PROMPTS_FOLDER, type Prompts } from './prompts/template.ts';
export {
  screenStatement,
  screenToolSave,
  STATEMENT_REFUSALS,
  type StatementRefusal,
} from './screening/screen-statement.ts';
export { replySchemaOf } from './reply-schema.ts';
export { scheduleOf } from './schedule.ts';
export { type Decision, isTextRefusal, readDecisions } from './reconcile/read-decisions.ts';
export { buildReconcilePrompt, correctionOf } from './reconcile/reconcile-prompt.ts';
export {
  type ReconcileQuestion,
  type Shown,
  shownOf,
  textsOfShown,
  toReconcileQuestion,
} from './reconcile/reconcile-question.ts';
export { mergedContent, NO_RESOLUTION, resolveDecisions } from './reconcile/resolve-decisions.ts';
export { toStorableText } from './storable-text.ts';
export { textWidth } from './text-width.ts';
export { composeConversationSummary, composeUserSummary } from './summary/compose-summary.ts';
export {
  hashOfPart,
  lineOfMemory,
  lineOfPart,
  type NarrativeLine,
  partsOf,
  wholeOf,
} from './summary/narrative-parts.ts';
export { readSummaryReply } from './summary/read-summary-reply.ts';
export { screenSummary } from './summary/screen-summary.ts';
export { buildConversationSummaryPrompt, buildUserSummaryPrompt } from './summary/summary-prompt.ts';
export { estimateTokens, weighTokens } from './token-estimate.ts';
export { buildTranscript, type Transcript } from './transcript/build-transcript.ts';
export { stripInjectedPostfixes } from './transcript/injected-postfixes.ts';
export type {
  Candidate,
  KnownMemory,
  ParsedReply,
  RawCandidate,
  Rejection,
  ToolCall,
  TranscriptMessage,
} from './types.ts';
