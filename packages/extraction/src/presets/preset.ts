/**
 * When a conversation's messages become due. A conversation with a user message is due at the earliest of: at once
 * when `maxTurns` user turns or `tokenCap` tokens have gathered; `quietGapS` after the last message when there are
 * at least `minTurns` user turns; `idleTimeoutS` after the last message; the daily flush. 0 turns a number off (a
 * quiet gap of 0 means at once).
 */
type TriggerSettings = {
  /** `incremental`: everything since the last extraction. `ephemeral`: the last user message and its reply only. */
  scope: 'incremental' | 'ephemeral';
  /** New user turns before the quiet gap applies. */
  minTurns: number;
  /** Maximum of user turns in one extraction; further ones follow in the next. */
  maxTurns: number;
  quietGapS: number;
  idleTimeoutS: number;
  /** Estimated tokens of the gathered messages. */
  tokenCap: number;
  dailyFlush: boolean;
};

/** How memories are found. Most settings repeat those of the mode, so that a preset is complete. */
type RetrievalSettings = {
  mode: 'fused' | 'enhanced' | 'classic' | 'vector';
  /** Channels that are asked: those of the mode, or vectors alone. */
  channels: 'of-mode' | 'vector';
  /** Results of a search without a limit of its own. */
  limit: number;
  /** Share of the score that is recency, 0..1. */
  recencyWeight: number;
  /** Relevance (0..1) that a reranker has to give a result, or it is dropped. */
  scoreThreshold: number;
  /** 1: by score alone; lower values prefer results that differ from those chosen already. */
  mmrLambda: number;
  /** Whether results are left out that say the same as a better one. */
  collapse: boolean;
  /** Tiers that a chat is searched for, beside its profile. */
  tiers: 'knowledge' | 'knowledge-and-events';
  /** Whether stored turns compete with memories in a chat. */
  turns: 'never' | 'compete';
  /** Whether acknowledgements, code and chatter are answered without a search. */
  gate: boolean;
  /** Whether short questions in the first person are searched with the words of personal facts added. */
  expandsQuery: boolean;
  /** A chat of a user with at most this many memories gets all of them, without a search. 0: never. */
  takesAllUpTo: number;
  /** The latest memories that a chat gets when a search finds none or fails. 0: none. */
  fallbackRecent: number;
};

/** What goes into a chat, and where. */
type InjectionSettings = {
  /** Whether chats have memory where neither the upstream nor the request says. */
  byDefault: boolean;
  /** Memories of one chat request, unless the request says `memory_top_k`. */
  limit: number;
  /** The form of what is found. `summary` looks for nothing: it is the narrative about the user. */
  format: 'facts' | 'section' | 'summary' | 'augmented';
  /** A system message of its own; the last user message, rewritten; or lines behind that message. */
  place: 'system' | 'message' | 'postfix';
  /** The core profile (tier 1): in a system message of its own, or at the head of what is found. */
  profile: 'system' | 'beside';
};

/** Settings that make the one pipeline behave like one of the known memory systems. */
export type Preset = {
  name: string;
  trigger: TriggerSettings;
  /** Messages in the transcript: user messages; also the replies; also tool calls and results. */
  transcript: 'user-only' | 'pair' | 'full';
  /** A longer transcript loses its middle, which the ledger records. 0: no limit. */
  maxTranscriptCharacters: number;
  /** The template that asks for memories. */
  prompt: 'standard' | 'facts-and-context' | 'single-fact' | 'tiered' | 'categorised' | 'reconciled';
  /** `json`: a reply without JSON is invalid; `line`: one plain line is a memory (or NOTHING). */
  reply: 'json' | 'line';
  /** Whether the rules keep sentences that no rule reads as notes in the user's own words. */
  keepsOwnWords: boolean;
  /** Whether a secret that the user stated is kept when the reply files it under the category `credential`. */
  keepsCredentials: boolean;
  /** Confidence (0..100) of a statement in words that no user used, where the reply gives no source or confidence. */
  unsupportedConfidence: number;
  /** Maximum of known memories in the prompt, those most similar to the transcript first. */
  knownMemoryLimit: number;
  /** Whether the prompt shows the context documents. */
  showsDocuments: boolean;
  /** Shorter notes are not stored. */
  minNoteCharacters: number;
  /** Longer contents are refused. */
  maxContentCharacters: number;
  /** Whether a candidate counts as known from `duplicateSimilarity` of the embedding profile on. */
  dedupBySimilarity: boolean;
  /** Whether a candidate that a context document already states is dropped. */
  dedupByDocuments: boolean;
  /** Whether the model is asked how candidates and similar memories relate. */
  reconcile: 'never' | 'near' | 'always';
  /** How the user's narrative summary is made after an extraction. */
  userSummary: 'none' | 'composed' | 'model';
  /** Whether each conversation has a rolling summary. */
  conversationSummary: boolean;
  /** Memories and turns kept per conversation; beyond it the oldest leave. 0: all. */
  maxEntries: number;
  /**
   * For whom a memory is. `user`: for all conversations of the user. `conversation`: for the one in which it was said
   * (a chat's `memory_id`, `default` without one); what was said in `global` is for all.
   */
  memoryScope: 'user' | 'conversation';
  /** Unless the search, the conversation or a setting says otherwise. */
  retrieval: RetrievalSettings;
  injection: InjectionSettings;
};
