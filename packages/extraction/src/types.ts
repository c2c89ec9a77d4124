/** A tool call of an assistant message. `arguments` as the model wrote them. */
export type ToolCall = { id: string; name: string; arguments: string };

/** One stored message in the extraction pipeline. `seq` orders messages within a conversation. */
export type TranscriptMessage = {
  id: string;
  seq: number;
  role: 'system' | 'user' | 'assistant' | 'tool' | 'function' | 'developer';
  content: string;
  /** The speaker's name, when several people share a conversation. */
  name?: string;
  /** Only in assistant messages. */
  toolCalls?: readonly ToolCall[];
  /** Only in tool messages: the call that this is the result of. */
  toolCallId?: string;
  /** Where it was said, and by whom there. */
  channel?: string;
  sender?: string;
  /** Dates the statement: relative dates are resolved against it. */
  createdAt: Date;
};

export type CandidateKind = 'fact' | 'qa' | 'note' | 'event';

/** 1 profile, 2 knowledge, 3 event log. */
export type Tier = 1 | 2 | 3;

/** A memory that is ready to be compared with existing ones and stored. */
export type Candidate = {
  kind: CandidateKind;
  tier: Tier;
  /** Lower case; `general` when the reply gives none. */
  category: string;
  /** snake_case identity of a fact within its category; null for facts that never replace another. */
  key: string | null;
  value: string | null;
  /** The full readable text, always set. */
  content: string;
  question: string | null;
  answer: string | null;
  tags: string[];
  /** 0..1 */
  importance: number;
  /** 0..100 */
  confidence: number;
  source: string;
  sourceContext: string | null;
  /** The messages it came from, in conversation order. */
  messageIds: string[];
  /** `createdAt` of the latest of `messageIds`. */
  statedAt: Date;
  /** When the stated thing happened or began, if the statement says so. */
  validFrom?: Date;
  /** Its project, if the reply names one. */
  project?: string;
  topic?: string;
  /** Absent for what no conversation said. */
  origin?: Origin;
};

/** Where a memory comes from. */
export type Origin = Readonly<{
  /** What all of its messages agree on; null when they differ or name none. */
  channel: string | null;
  sender: string | null;
  /** Of an event: the day on which it was told, `YYYY-MM-DD`. Null for everything else. */
  eventDate: string | null;
  /** Of an event: the estimated tokens of its messages. Null for everything else. */
  sourceTokens: number | null;
}>;

/** A current memory of the user, for prompts and planning. */
export type KnownMemory = {
  id: string;
  kind: CandidateKind;
  category: string;
  key: string | null;
  value: string | null;
  content: string;
  /** Set for Q/A memories: their identity, like the key of a fact. */
  question?: string | null;
  /** When it was last stated or confirmed. */
  statedAt: Date;
};

/** One item of a parsed reply, before provenance, defaults and filters. Strings occur in the reply. */
export type RawCandidate = {
  kind: CandidateKind;
  category: string | null;
  key: string | null;
  value: string | null;
  content: string | null;
  question: string | null;
  answer: string | null;
  source: string | null;
  sourceContext: string | null;
  /** As written: 0..100, or 0..1 with a decimal point. */
  confidence: string | null;
  importance: string | null;
  tier: string | null;
  tags: string[];
  messageIds: string[];
  validFrom: string | null;
  project: string | null;
  topic: string | null;
};

/** Why a part of a reply was refused; reasons are stable words, never conversation text. */
export type Rejection = { reason: string; count: number };

/**
 * The result of parsing a reply.
 * - `ok`: all of the reply was read and has items, even if all are too long to be stored
 * - `empty`: the reply says that there is nothing to remember
 * - `truncated`: the reply breaks off or is damaged; its complete items are in `candidates`
 * - `refusal`: the model declines, in a reply that should be one line
 * - `invalid`: nothing usable
 */
export type ParsedReply = {
  status: 'ok' | 'empty' | 'invalid' | 'refusal' | 'truncated';
  candidates: RawCandidate[];
  rejected: Rejection[];
};
