import type { ChatMessage, ReplySchema } from './chat-completion.ts';

type ShapedRequest = Readonly<{
  messages: readonly ChatMessage[];
  maxTokens: number;
  temperature: number;
  schema: ReplySchema | undefined;
  stream: boolean;
}>;

/** How the reply's form is requested; each is tried after the endpoint refused the one before. */
const REPLY_FORMATS = ['json_schema', 'json_object', 'none'] as const;

type Dialect = Readonly<{
  limitField: 'max_tokens' | 'max_completion_tokens';
  sendsTemperature: boolean;
  replyFormat: (typeof REPLY_FORMATS)[number];
  wantsStreamedUsage: boolean;
}>;

export type RequestShape = Readonly<{
  /** The body of a request in the dialect known so far, and the state that `learn` needs after a refusal. */
  build: (request: ShapedRequest) => Readonly<{ body: object; sent: Dialect }>;
  /** Records a refused parameter. True when the request, built again, differs in it. */
  learn: (sent: Dialect, parameter: string | undefined) => boolean;
}>;

/**
 * The parameters that one model accepts, learned from its refusals: newer hosted models refuse `max_tokens` and any
 * temperature but their own, many servers do not know schemas. A refusal costs nothing, so the request is repeated
 * at once; each kind happens only once (twice for the form of the reply).
 */
export function createRequestShape(model: string): RequestShape {
  let known: Dialect = {
    limitField: 'max_tokens',
    sendsTemperature: true,
    replyFormat: 'json_schema',
    wantsStreamedUsage: true,
  };
  return {
    build: ({ messages, maxTokens, temperature, schema, stream }) => ({
      sent: known,
      body: {
        model,
        messages,
        stream,
        ...(stream && known.wantsStreamedUsage ? { stream_options: { include_usage: true } } : {}),
        [known.limitField]: maxTokens,
        ...(known.sendsTemperature ? { temperature } : {}),
        ...(schema === undefined ? {} : toResponseFormat(known.replyFormat, schema)),
      },
    }),
    learn: (sent, parameter) => {
      const change = adapt(sent, parameter);
      if (change === undefined) return false;
      known = { ...known, ...change };
      return true;
    },
  };
}

/** What to change after a refusal; undefined when nothing can be dropped. */
function adapt(sent: Dialect, parameter: string | undefined): Partial<Dialect> | undefined {
  switch (parameter) {
    case 'max_tokens':
      return sent.limitField === 'max_tokens' ? { limitField: 'max_completion_tokens' } : undefined;
    case 'temperature':
      return sent.sendsTemperature ? { sendsTemperature: false } : undefined;
    case 'stream_options':
      return sent.wantsStreamedUsage ? { wantsStreamedUsage: false } : undefined;
    case 'response_format': {
      const next = REPLY_FORMATS[REPLY_FORMATS.indexOf(sent.replyFormat) + 1];
      return next === undefined ? undefined : { replyFormat: next };
    }
    default:
      return undefined;
  }
}

function toResponseFormat(format: Dialect['replyFormat'], { name, schema }: ReplySchema): object {
  if (format === 'none') return {};
  if (format === 'json_object') return { response_format: { type: 'json_object' } };
  return { response_format: { type: 'json_schema', json_schema: { name, schema, strict: false } } };
}
