import { createClient, FactmillError } from '@factmill/client';
import { DEMO_QUESTIONS, DEMO_TURNS, DEMO_USER } from './demo/conversation.ts';

const BASE_URL = (process.argv[2] ?? 'http://127.0.0.1:8080').replace(/\/+$/, '');
const API_KEY = process.argv[3];
/** A model on the reader's own machine may take minutes for a turn. */
const TURN_TIMEOUT_MS = 600_000;

function say(line = ''): void {
  process.stdout.write(`${line}\n`);
}

async function play(): Promise<void> {
  const client = createClient({ baseUrl: BASE_URL, apiKey: API_KEY, userId: DEMO_USER });
  const { id: conversation } = await client.conversations.create({ title: 'Demo' });
  say('A conversation goes in, turn by turn:\n');
  for (const [index, turn] of DEMO_TURNS.entries()) {
    say(`  ${turn.at.slice(0, 10)}  Nora: ${turn.text}`);
    const accepted = await client.conversations.post(conversation, {
      extract: 'now',
      messages: [{ id: `turn-${index}`, role: 'user', content: turn.text, created_at: turn.at }],
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

  say('\nQuestions are answered from what was kept:\n');
  for (const query of DEMO_QUESTIONS) {
    const found = await client.memories.search({ query, limit: 3 });
    say(`  ${query}`);
    for (const { memory, similarity } of found.results) {
      say(`     ${similarity === undefined ? 'text' : similarity.toFixed(2)}  ${memory.content}`);
    }
  }

  const { memories } = await client.memories.stats();
  say(
    `\n${memories.current} memories of ${DEMO_USER} are kept. All of them: ${BASE_URL}/v1/memories?user_id=${DEMO_USER}`,
  );
}

function sentenceOf(error: unknown): string {
  const isElsewhere = error instanceof FactmillError && error.code === 'unreachable';
  // A TypeError: the address is none.
  if (isElsewhere || error instanceof TypeError) {
    return `Nothing answers at ${BASE_URL}. Run npm start in another terminal first, or give the address: npm run demo -- http://host:port [api key]`;
  }
  return error instanceof FactmillError ? error.detail : 'it ended with an unexpected error.';
}

try {
  await play();
} catch (error) {
  process.stderr.write(`demo: ${sentenceOf(error)}\n`);
  process.exitCode = 1;
}
