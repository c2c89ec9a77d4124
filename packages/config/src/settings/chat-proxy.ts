import { z } from 'zod';
import { flag, httpUrl, positiveInt, presetName } from './values.ts';

/** Chat upstreams beside the first one, as JSON. */
const chatUpstreams = z
  .string()
  .meta({ allowed: 'a JSON array' })
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'must be a JSON array' });
      return z.NEVER;
    }
  })
  .pipe(
    z.array(
      z.strictObject({
        name: z.string().regex(/^[\w-]{1,64}$/),
        base_url: httpUrl,
        api_key: z.string().default(''),
        memory: z.boolean().optional(),
        preset: presetName.optional(),
        models: z.array(z.string().min(1)).min(1),
      }),
    ),
  );

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const RULE = new RegExp(String.raw`^(\*|${METHODS.join('|')}) /v1((?:/(?:[\w.-]+|\*))+)$`);

/** `all`, `none`, or rules of method and path: `*` is any method, any one segment, or, last, the rest of a path. */
const passThrough = z
  .string()
  .meta({ allowed: '`all`, `none`, or rules such as `POST /v1/embeddings, GET /v1/files/*`' })
  .transform((text, context) => {
    if (text === 'all' || text === 'none') return text;
    return text.split(',').map((rule) => {
      const [, method, path] = RULE.exec(rule.trim()) ?? [];
      if (method === undefined || path === undefined) {
        context.addIssue({
          code: 'custom',
          message: 'must be all, none or rules such as POST /v1/embeddings, GET /v1/files/*',
        });
        return z.NEVER;
      }
      return { method, segments: path.split('/').slice(1) };
    });
  });

export const chatProxy = {
  CHAT_BASE_URL: httpUrl.optional().meta({
    description: 'Where chat completions go, and other `/v1` paths that are not our own.',
    unset: '`LLM_BASE_URL`',
  }),
  CHAT_API_KEY: z.string().optional().meta({
    secret: true,
    description: "Sent upstream in place of the caller's own bearer token.",
    unset: "`LLM_API_KEY` while `CHAT_BASE_URL` is not set; without either, the caller's own token",
  }),
  CHAT_MEMORY: flag.optional().meta({
    description:
      'Memory in all chats. Otherwise only in those that name a `memory_id`. It can change at run time: `factmill config set chat.memory.default true`.',
    unset: 'as the preset has it: on with `reconciled`, else off',
  }),
  CHAT_PRESET: presetName.optional().meta({
    description: 'Preset of chats with the first upstream, where neither conversation nor API key has one.',
    unset: '`PRESET`',
  }),
  CHAT_UPSTREAMS: chatUpstreams.optional().meta({
    secret: true,
    description:
      'More upstreams, by model: `[{"name":"local","base_url":"http://…/v1","models":["llama*"],"memory":true,"preset":"tiered"}]`.',
    unset: 'only the first one',
  }),
  CHAT_PASS_THROUGH: passThrough.optional().meta({
    description:
      'Which other `/v1` paths of the upstream may be called, by keys with the permission `upstream`.',
    unset: '`all` where callers send their own key, only `GET /v1/models` where a stored key is sent',
  }),
  CHAT_CONTEXT_FORMAT: z.enum(['facts', 'section', 'summary', 'augmented']).optional().meta({
    description:
      'How memories are written into every chat: `facts` behind the message, `section` and `summary` as a system message, `augmented` in the message.',
    unset: 'as the preset has it',
  }),
  CHAT_MEMORY_TIMEOUT_MS: positiveInt
    .default(300)
    .meta({ description: 'How long a chat waits for memory at most.' }),
  CHAT_TIMEOUT_MS: positiveInt
    .default(600_000)
    .meta({ description: 'An exchange that brings no byte for this long is given up.' }),
  CHAT_MAX_BODY_BYTES: positiveInt
    .default(32 * 1024 * 1024)
    .meta({ description: 'Largest chat request, unpacked.' }),
  CHAT_STREAMS_PER_KEY: positiveInt
    .max(10_000)
    .default(200)
    .meta({ description: 'Chats and other calls of the upstream that one API key may have open at once.' }),
};
