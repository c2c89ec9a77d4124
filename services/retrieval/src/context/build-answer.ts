import type { ContextRequest, ContextResponse, Memory } from '@factmill/contracts';
import { weighTokens } from '@factmill/extraction';
import { buildContext, buildContextBlocks, type ContextMemory } from '@factmill/ranking';
import type { ContextSettings } from './context-settings.ts';
import { messageOf } from './message-of.ts';
import type { LoadedContext } from './load-context.ts';

/** The answer to a context request, from the loaded context. */
export function buildAnswer(
  request: ContextRequest,
  settings: ContextSettings,
  userId: string,
  context: LoadedContext,
): ContextResponse {
  const { profile, hits } = context;
  const { format, place, profilePlace } = settings;
  const input = {
    format,
    profile: profile.map((memory) => toContextMemory(memory, memory.kind)),
    memories: hits.map(({ memory, role }) => toContextMemory(memory, role)),
    userSummary: context.userSummary,
    conversationSummary: context.conversationSummary,
    query: messageOf(request),
    tokenBudget: request.token_budget ?? null,
    weighTokens,
  };
  const { used, tokens, ...said } =
    request.format === 'preset'
      ? toBlocks(buildContextBlocks({ ...input, place, profilePlace }))
      : toText(request, buildContext(input));
  return {
    format: request.format,
    user_id: userId,
    ...said,
    memories: used.flatMap((index) => hits[index] ?? []),
    profile: [...profile],
    tokens,
    ...(context.gated ? { gated: true } : {}),
    ...(context.degraded === null ? {} : { degraded: context.degraded }),
    ...(context.explain === null ? {} : { explain: context.explain }),
  };
}

type Said = Pick<ContextResponse, 'text' | 'messages' | 'blocks' | 'tokens'> & { used: readonly number[] };

function toBlocks({ blocks, used, tokens }: ReturnType<typeof buildContextBlocks>): Said {
  return { blocks: [...blocks], used, tokens };
}

function toText(request: ContextRequest, { text, used, tokens }: ReturnType<typeof buildContext>): Said {
  return request.format === 'messages'
    ? { messages: withSystemMessage(request.messages ?? [], text), used, tokens }
    : { text, used, tokens };
}

function toContextMemory(memory: Memory, role: string): ContextMemory {
  const { key, value, content, question, answer } = memory;
  return { role, key, value, content, question, answer };
}

type Messages = NonNullable<ContextRequest['messages']>;

/** Inserts after the system messages at the beginning of the conversation. */
function withSystemMessage(messages: Messages, text: string): Messages {
  if (text === '') return messages;
  const first = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer');
  const at = first < 0 ? messages.length : first;
  return [...messages.slice(0, at), { role: 'system', content: text }, ...messages.slice(at)];
}
