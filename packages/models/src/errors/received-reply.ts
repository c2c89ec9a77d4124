/** What a call that failed has brought all the same: a reply with status 200, so one that is paid for. */
export type ReceivedReply = Readonly<{
  /** The beginning of the body as it came. */
  raw: string;
  /** As the endpoint names it; null when it does not. */
  model: string | null;
  finishReason: string | null;
  promptTokens: number;
  completionTokens: number;
}>;

/** So much of a body explains what was wrong with it. */
const MAX_RAW_CHARACTERS = 4_000;

/** Beside the errors and not in them, so that no log can show a reply. */
const received = new WeakMap<Error, ReceivedReply>();

/** Notes the reply that an error is about. Returns the error. */
export function noteReceived<E extends Error>(error: E, reply: ReceivedReply): E {
  received.set(error, { ...reply, raw: reply.raw.slice(0, MAX_RAW_CHARACTERS) });
  return error;
}

/** The reply that an error of a model call is about; undefined when there was none, or none with status 200. */
export function receivedReplyOf(error: unknown): ReceivedReply | undefined {
  return error instanceof Error ? received.get(error) : undefined;
}

/** A reply of which no more is known than its text. */
export function toReceived(raw: string): ReceivedReply {
  return { raw, model: null, finishReason: null, promptTokens: 0, completionTokens: 0 };
}
