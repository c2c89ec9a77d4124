export type ChatMessage = Readonly<{ role: 'system' | 'user' | 'assistant'; content: string }>;

/** The form that the reply must have. */
export type ReplySchema = Readonly<{
  /** Letters, digits, `_` and `-`, at most 64. */
  name: string;
  /** JSON Schema of the reply. Free-form maps are fine: it is sent as not strict. */
  schema: Readonly<Record<string, unknown>>;
}>;

export type ChatRequest = Readonly<{
  messages: readonly ChatMessage[];
  /** Default: the model's setting. */
  maxTokens?: number;
  /** Factor on `maxTokens` for this reply; default 1. */
  outputFactor?: number;
  /** Sent to endpoints that support schemas; the reply can still have any form. */
  schema?: ReplySchema;
  /** Streams the reply; it is still returned when complete. */
  stream?: boolean;
  /** Accepts a reply without text; otherwise that is an error. */
  mayBeEmpty?: boolean;
  signal?: AbortSignal;
}>;

export type ChatReply = Readonly<{
  /** Empty only if the request allows it. */
  text: string;
  /**
   * The endpoint's own word: `stop`, or `length` when the text was cut at `maxTokens`. For an empty text,
   * `tool_calls` or `reasoning_only` when the model returned that instead.
   */
  finishReason: string;
  /** 0 when the endpoint does not count. */
  usage: Readonly<{ promptTokens: number; completionTokens: number }>;
  /** The model that answered, as the endpoint names it. */
  model: string;
}>;
