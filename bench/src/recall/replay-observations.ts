import type { ReplyFunction } from '@factmill/testkit';
import type { Conversation, Session } from './conversations.ts';

/**
 * A model that answers each extraction with the published observations of its session, each naming its evidence. When
 * a session is extracted in parts, each observation comes with the part that has its last evidence.
 */
export function replayObservations(conversations: readonly Conversation[]): ReplyFunction {
  const sessions = conversations.flatMap((conversation) => conversation.sessions);
  return ({ endpoint, userText }) => {
    if (endpoint !== 'chat') return undefined;
    // When asked how an observation relates to similar memories, it keeps all of them.
    const newFacts = /<new_facts>([\s\S]*)<\/new_facts>/.exec(userText)?.[1];
    if (newFacts !== undefined) {
      const ids = new Set(newFacts.match(/\bN\d+\b/g));
      return { content: JSON.stringify([...ids].map((id) => ({ event: 'ADD', id }))) };
    }
    const asked = sessions
      .map((session) => ({ session, turnIds: turnsIn(session, userText) }))
      .reduce((a, b) => (b.turnIds.size > a.turnIds.size ? b : a));
    return asked.turnIds.size === 0 ? { status: 400 } : { content: toReply(asked.session, asked.turnIds) };
  };
}

/** The turns of a session in a prompt. */
function turnsIn({ turns }: Session, userText: string): Set<string> {
  return new Set(turns.filter(({ text }) => userText.includes(text.trim())).map(({ id }) => id));
}

function toReply({ turns, observations }: Session, turnIds: ReadonlySet<string>): string {
  const places = new Map(turns.map(({ id }, place) => [id, place]));
  const lastOf = (evidence: readonly string[]) =>
    evidence.reduce((a, b) => ((places.get(b) ?? -1) > (places.get(a) ?? -1) ? b : a), evidence[0] ?? '');
  const facts = observations
    .filter(({ evidence }) => turnIds.has(lastOf(evidence)))
    .map(({ text, evidence }) => ({ content: text, message_ids: evidence }));
  return JSON.stringify({ facts, context: [] });
}
