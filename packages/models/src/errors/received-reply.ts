/** The reply of a failed call: with status 200, so it is paid for. */
export type ReceivedReply = Readonly<{
  /** The beginning of the body as it came. */
  raw: string;
  /** As the endpoint names it; null when it does not. */
  model: string | null;
  finishReason: string | null;
  promptTokens: number;
  completionTokens: number;
}>;

/** This much of a body explains its fault. */
const MAX_RAW_CHARACTERS = 4_000;

/** Separate from the errors, so that no log can show a reply. */
const received = new WeakMap<Error, ReceivedReply>();

/** Stores the reply of an error. Returns the error. */
export function noteReceived<E extends Error>(error: E, reply: ReceivedReply): E {
  received.set(error, { ...reply, raw: reply.raw.slice(0, MAX_RAW_CHARACTERS) });
  return error;
}

/** The reply of a failed model call; undefined when there was none, or none with status 200. */
export function receivedReplyOf(error: unknown): ReceivedReply | undefined {
  return error instanceof Error ? received.get(error) : undefined;
}

/** A reply of which only the text is known. */
export function toReceived(raw: string): ReceivedReply {
  return { raw, model: null, finishReason: null, promptTokens: 0, completionTokens: 0 };
}
