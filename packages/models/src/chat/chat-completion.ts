export type ChatMessage = Readonly<{ role: 'system' | 'user' | 'assistant'; content: string }>;

/** The form that a reply has to have. */
export type ReplySchema = Readonly<{
  /** Letters, digits, `_` and `-`, at most 64. */
  name: string;
  /** JSON Schema of the reply. Free-form maps are fine: it is sent as not strict. */
  schema: Readonly<Record<string, unknown>>;
}>;

export type ChatRequest = Readonly<{
  messages: readonly ChatMessage[];
  /** Default: the model's. */
  maxTokens?: number;
  /** How many times `maxTokens` the reply may take; default 1. */
  outputFactor?: number;
  /** Tells the endpoint the form of the reply, as far as it takes that; the reply can still be anything. */
  schema?: ReplySchema;
  /** Has the reply streamed; it is returned when it is complete all the same. */
  stream?: boolean;
  /** Takes a reply without text as one; otherwise it is an error. */
  mayBeEmpty?: boolean;
  signal?: AbortSignal;
}>;

export type ChatReply = Readonly<{
  /** Empty only where the request allows it. */
  text: string;
  /**
   * As the endpoint says it: `stop`, or `length` when the text was cut at `maxTokens`. Of an empty text `tool_calls` or
   * `reasoning_only` when the model gave that instead.
   */
  finishReason: string;
  /** 0 when the endpoint does not count. */
  usage: Readonly<{ promptTokens: number; completionTokens: number }>;
  /** The model that answered, as the endpoint names it. */
  model: string;
}>;
