import type { ContextRequest, ContextResponse, Memory } from '@factmill/contracts';
import { weighTokens } from '@factmill/extraction';
import { buildContext, type ContextFormat, type ContextMemory } from '@factmill/ranking';
import { messageOf } from './message-of.ts';
import type { LoadedContext } from './load-context.ts';

/** The answer to a context request, from the loaded context. */
export function buildAnswer(
  request: ContextRequest,
  userId: string,
  context: LoadedContext,
): ContextResponse {
  const { profile, hits } = context;
  const block = buildContext({
    format: blockFormatOf(request.format),
    profile: profile.map((memory) => toContextMemory(memory, memory.kind)),
    memories: hits.map(({ memory, role }) => toContextMemory(memory, role)),
    userSummary: context.userSummary,
    conversationSummary: context.conversationSummary,
    query: messageOf(request),
    tokenBudget: request.token_budget ?? null,
    weighTokens,
  });
  return {
    format: request.format,
    user_id: userId,
    ...(request.format === 'messages'
      ? { messages: withSystemMessage(request.messages ?? [], block.text) }
      : { text: block.text }),
    memories: block.used.flatMap((place) => hits[place] ?? []),
    profile: [...profile],
    tokens: block.tokens,
    ...(context.gated ? { gated: true } : {}),
    ...(context.degraded === null ? {} : { degraded: context.degraded }),
  };
}

function blockFormatOf(format: ContextRequest['format']): ContextFormat {
  return format === 'messages' ? 'section' : format;
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
