import type { ReplyFunction } from '@factmill/testkit';
import type { LocomoConversation, LocomoSession } from './locomo-data.ts';

/**
 * A model that answers each session's extraction with the observations that were published for the session, each
 * naming its evidence. It knows the session by its longest turn.
 */
export function replayObservations(conversations: readonly LocomoConversation[]): ReplyFunction {
  const sessions = conversations
    .flatMap((conversation) => conversation.sessions)
    .map((session) => ({ mark: longestTurn(session), content: toReply(session) }));
  return ({ endpoint, userText }) => {
    if (endpoint !== 'chat') return undefined;
    const asked = sessions.find(({ mark }) => userText.includes(mark));
    return asked === undefined ? { status: 400 } : { content: asked.content };
  };
}

function longestTurn({ turns }: LocomoSession): string {
  return turns.map(({ text }) => text.trim()).reduce((a, b) => (b.length > a.length ? b : a), '');
}

function toReply({ observations }: LocomoSession): string {
  const facts = observations.map(({ text, evidence }) => ({ content: text, message_ids: evidence }));
  return JSON.stringify({ facts, context: [] });
}
