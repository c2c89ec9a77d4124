/**
 * When a conversation's messages become due. A conversation with something a user said is due at the earliest of:
 * at once when `maxTurns` user turns or `tokenCap` tokens have gathered; `quietGapS` after the last message when
 * there are at least `minTurns` user turns; `idleTimeoutS` after the last message whatever there is; the daily
 * flush. 0 turns a number off (a quiet gap of 0 means at once).
 */
type TriggerSettings = {
  /** `incremental`: everything since the last extraction. `ephemeral`: the last user message and its reply only. */
  scope: 'incremental' | 'ephemeral';
  /** New user turns before an extraction is due without a timeout. */
  minTurns: number;
  /** User turns in one extraction at most; what is left follows in further ones. */
  maxTurns: number;
  quietGapS: number;
  idleTimeoutS: number;
  /** Estimated tokens of the messages that gathered. */
  tokenCap: number;
  dailyFlush: boolean;
};

/** How memories are found. The numbers are those of the mode, told here so that a preset is complete. */
type RetrievalSettings = {
  mode: 'fused' | 'enhanced' | 'classic' | 'vector';
  /** Results of a search that does not say how many it wants. */
  limit: number;
  /** Share of the score that is recency, 0..1. */
  recencyWeight: number;
  /** Relevance (0..1) below which a result is left out. */
  scoreThreshold: number;
  /** 1: by score alone; less: the more different from what was chosen already, the better. */
  mmrLambda: number;
};

/** Settings that make the one pipeline behave like one of the known ways of remembering. */
export type Preset = {
  name: string;
  trigger: TriggerSettings;
  /** Which messages the transcript holds: user messages; also the replies; also tool calls and results. */
  transcript: 'user-only' | 'pair' | 'full';
  /** A longer transcript loses its middle, and the ledger says so. 0: no limit. */
  maxTranscriptCharacters: number;
  /** The template that asks for memories. */
  prompt: 'standard' | 'facts-and-context' | 'single-fact' | 'tiered' | 'categorised' | 'reconciled';
  /** `json`: a reply without JSON is invalid; `line`: one plain line is a memory (or NOTHING). */
  reply: 'json' | 'line';
  /** Whether the rules, without a model, keep notes in the user's own words of what none of them reads. */
  keepsOwnWords: boolean;
  /** Whether a secret that the user stated is kept when the reply puts it into the category `credential`. */
  keepsCredentials: boolean;
  /** Confidence (0..100) of what no user said in any of these words, where the reply gives no source or confidence. */
  unsupportedConfidence: number;
  /** How many known memories the prompt shows, those nearest to the transcript first. */
  knownMemoryLimit: number;
  /** Whether the prompt shows the context documents. */
  showsDocuments: boolean;
  /** Shorter notes carry nothing worth keeping. */
  minNoteCharacters: number;
  /** Longer contents are refused. */
  maxContentCharacters: number;
  /** A candidate as similar as the embedding profile's `duplicateSimilarity` to a memory is one. */
  dedupBySimilarity: boolean;
  /** A candidate that a context document says already is not stored. */
  dedupByDocuments: boolean;
  /** Whether the model is asked how candidates and the memories next to them go together. */
  reconcile: 'never' | 'near' | 'always';
  /** Where the user's narrative summary comes from after an extraction. */
  userSummary: 'none' | 'composed' | 'model';
  /** Whether each conversation has a rolling summary. */
  conversationSummary: boolean;
  /** Memories kept per conversation, oldest out first. 0: all. */
  maxEntries: number;
  /** What a deployment's searches do when neither they nor `SEARCH_MODE` say. */
  retrieval: RetrievalSettings;
};
