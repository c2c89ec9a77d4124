import { replyWithFacts } from './facts-reply.ts';
import type { ScriptedReply, ScriptedRequest } from './reply.ts';
import { toWordVector } from './word-vector.ts';

const MODEL = 'scripted-model';

/** The answer of `/v1/models`. */
export const MODELS_BODY = {
  object: 'list',
  data: [{ id: MODEL, object: 'model', created: 0, owned_by: 'testkit' }],
} as const;

/** A chat completion with the reply's content, or the facts of the user's text. */
export function chatBody(request: ScriptedRequest, reply: ScriptedReply): unknown {
  const content = contentOf(request, reply);
  return {
    id: 'chatcmpl-scripted',
    object: 'chat.completion',
    created: Math.trunc(request.receivedAtMs / 1000),
    model: modelOf(request),
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content },
        finish_reason: reply.finishReason ?? 'stop',
        logprobs: null,
      },
    ],
    usage: usageOf(request, content ?? ''),
  };
}

/** The same as chunks of a stream: one per word, one with the finish reason, one with the usage if asked for. */
export function chatChunks(request: ScriptedRequest, reply: ScriptedReply): unknown[] {
  const content = contentOf(request, reply) ?? '';
  const chunk = (choices: readonly unknown[], more: object = {}): unknown => ({
    id: 'chatcmpl-scripted',
    object: 'chat.completion.chunk',
    created: Math.trunc(request.receivedAtMs / 1000),
    model: modelOf(request),
    choices,
    ...more,
  });
  const words = content.match(/\s*\S+|\s+$/g) ?? [];
  const options = request.body['stream_options'];
  const wantsUsage =
    options instanceof Object && 'include_usage' in options && options.include_usage === true;
  return [
    chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]),
    ...words.map((word) => chunk([{ index: 0, delta: { content: word }, finish_reason: null }])),
    chunk([{ index: 0, delta: {}, finish_reason: reply.finishReason ?? 'stop' }]),
    ...(wantsUsage ? [chunk([], { usage: usageOf(request, content) })] : []),
  ];
}

/** Word vectors for every input, in the encoding and size asked for. */
export function embeddingsBody(request: ScriptedRequest, defaultDimensions: number): unknown {
  const { input, dimensions, encoding_format: encoding } = request.body;
  const texts = (Array.isArray(input) ? input : [input]).map(String);
  const size = typeof dimensions === 'number' ? dimensions : defaultDimensions;
  const data = texts.map((text, index) => {
    const vector = toWordVector(text, size);
    const embedding = encoding === 'base64' ? toBase64(vector) : vector;
    return { object: 'embedding', index, embedding };
  });
  const tokens = countTokens(texts.join(' '));
  return {
    object: 'list',
    model: modelOf(request),
    data,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

/** An error body in the form of the API. */
export function errorBody(status: number): unknown {
  return { error: { message: `scripted status ${status}`, type: null, param: null, code: null } };
}

function contentOf(request: ScriptedRequest, reply: ScriptedReply): string | null {
  return reply.content === undefined ? replyWithFacts(request.userText) : reply.content;
}

function modelOf(request: ScriptedRequest): string {
  return typeof request.body['model'] === 'string' ? request.body['model'] : MODEL;
}

function usageOf(request: ScriptedRequest, content: string): object {
  const prompt = countPromptTokens(request);
  const completion = countTokens(content);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

/** What the server says that a chat request took. */
export function countPromptTokens({ body }: Pick<ScriptedRequest, 'body'>): number {
  return countTokens(JSON.stringify(body['messages'] ?? ''));
}

/** Four characters to a token, near enough for a test. */
export function countTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

function toBase64(vector: readonly number[]): string {
  return Buffer.from(new Float32Array(vector).buffer).toString('base64');
}
