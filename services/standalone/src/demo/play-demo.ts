import type { Client } from '@factmill/client';
import { DEMO_QUESTIONS, DEMO_TURNS, DEMO_USER } from './conversation.ts';

export type DemoDeps = Readonly<{
  connect: (userId: string) => Client;
  baseUrl: string;
  say: (line: string) => void;
}>;

/** Message ids of our own, so that playing the demo again stores nothing new. */
const TURN_PREFIX = 'turn-';
/** A local model may take minutes for a turn. */
const TURN_TIMEOUT_MS = 600_000;

/** Plays a conversation, asks questions about it, and shows the stored memories with their sources. */
export async function playDemo({ connect, baseUrl, say }: DemoDeps): Promise<void> {
  const client = connect(DEMO_USER);
  await tell(client, say);
  await ask(client, say);
  await showKept(client, say);
  say('Where to look next:\n');
  say(`  ${baseUrl}/docs`);
  say('      every call with its fields, to be tried in the browser');
  say(`  curl -s '${baseUrl}/v1/profile?user_id=${DEMO_USER}'`);
  say('      what a prompt should always have');
  say(`  curl -s '${baseUrl}/v1/memories?user_id=${DEMO_USER}'`);
  say('      all memories, each with the messages it came from');
}

async function tell(client: Client, say: DemoDeps['say']): Promise<void> {
  const { id: conversation } = await client.conversations.create({ title: 'Demo' });
  say('A conversation goes in, turn by turn:\n');
  for (const [index, turn] of DEMO_TURNS.entries()) {
    say(`  ${turn.at.slice(0, 10)}  Nora: ${turn.text}`);
    const accepted = await client.conversations.post(conversation, {
      extract: 'now',
      messages: [{ id: `${TURN_PREFIX}${index}`, role: 'user', content: turn.text, created_at: turn.at }],
    });
    if (accepted.extraction === null) continue;
    const extraction = await client.extractions.waitFor(accepted.extraction.id, {
      timeoutMs: TURN_TIMEOUT_MS,
    });
    for (const id of extraction.memory_ids) {
      const memory = await client.memories.get(id);
      say(
        `              + ${memory.content}${memory.key === null ? '' : `  [${memory.category}/${memory.key}]`}`,
      );
    }
    if (extraction.memory_ids.length === 0) say(`              (nothing to remember; ${extraction.state})`);
  }
}

async function ask(client: Client, say: DemoDeps['say']): Promise<void> {
  say('\nQuestions of a later chat are answered from it; the number is the score, 1 at best:\n');
  for (const query of DEMO_QUESTIONS) {
    // Turns are asked for, so that also those count which are in no index yet: they were sent a moment ago.
    const found = await client.memories.search({ query, limit: 3, include_turns: true });
    say(`  ${query}`);
    for (const { memory, score } of found.results) say(`     ${score.toFixed(2)}  ${memory.content}`);
  }
}

/** Shows all current memories by category, each with what it replaced and its source message. */
async function showKept(client: Client, say: DemoDeps['say']): Promise<void> {
  const kept = [];
  for await (const memory of client.memories.listAll()) {
    const { data: versions } = await client.memories.history(memory.id);
    const contents = new Set(versions.flatMap(({ before, after }) => [contentOf(before), contentOf(after)]));
    kept.push({ ...memory, replaced: [...contents].filter((content) => content !== memory.content) });
  }
  kept.sort((a, b) => compare(a.category, b.category) || compare(a.valid_from, b.valid_from));
  say(`\n${kept.length} memories of ${DEMO_USER} are kept, each with what it came from:\n`);
  let category = '';
  for (const memory of kept) {
    say(`  ${(memory.category === category ? '' : memory.category).padEnd(14)}${memory.content}`);
    ({ category } = memory);
    for (const content of memory.replaced) if (content !== null) say(`${INDENT}before: ${content}`);
    for (const id of memory.provenance.message_ids) {
      const turn = DEMO_TURNS[Number(id.replace(TURN_PREFIX, ''))];
      if (turn !== undefined) say(`${INDENT}${turn.at.slice(0, 10)} “${turn.text}”`);
    }
  }
  say('');
}

const INDENT = ' '.repeat(18);

/** The content in a version's snapshot, which the type treats as any JSON. */
function contentOf(snapshot: unknown): string | null {
  const isObject = typeof snapshot === 'object' && snapshot !== null && 'content' in snapshot;
  return isObject && typeof snapshot.content === 'string' ? snapshot.content : null;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
