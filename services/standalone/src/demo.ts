import type {
  AcceptedMessages,
  Extraction,
  List,
  Memory,
  Problem,
  SearchResponse,
} from '@factmill/contracts';
import { setTimeout as delay } from 'node:timers/promises';
import { DEMO_QUESTIONS, DEMO_TURNS, DEMO_USER } from './demo/conversation.ts';

const BASE_URL = (process.argv[2] ?? 'http://127.0.0.1:8080').replace(/\/+$/, '');
const API_KEY = process.argv[3];
const POLL_MS = 100;

class DemoError extends Error {}

async function call<T>(path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${BASE_URL}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'content-type': 'application/json',
      ...(API_KEY === undefined ? {} : { authorization: `Bearer ${API_KEY}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new DemoError(
      `Nothing answers at ${BASE_URL}. Run npm start in another terminal first, or give the address: npm run demo -- http://host:port [api key]`,
    );
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new DemoError((answer as Problem).detail);
  return answer as T;
}

function say(line = ''): void {
  process.stdout.write(`${line}\n`);
}

async function finished(id: string): Promise<Extraction> {
  for (;;) {
    const extraction = await call<Extraction>(`/v1/extractions/${id}`);
    if (extraction.state !== 'pending' && extraction.state !== 'active') return extraction;
    await delay(POLL_MS);
  }
}

async function play(): Promise<void> {
  const conversation = `demo-${Date.now()}`;
  say('A conversation goes in, turn by turn:\n');
  for (const [index, turn] of DEMO_TURNS.entries()) {
    say(`  ${turn.at.slice(0, 10)}  Nora: ${turn.text}`);
    const accepted = await call<AcceptedMessages>(`/v1/conversations/${conversation}/messages`, {
      user_id: DEMO_USER,
      extract: 'now',
      messages: [{ id: `turn-${index}`, role: 'user', content: turn.text, created_at: turn.at }],
    });
    if (accepted.extraction === null) continue;
    const extraction = await finished(accepted.extraction.id);
    for (const id of extraction.memory_ids) {
      const memory = await call<Memory>(`/v1/memories/${id}`);
      say(
        `              + ${memory.content}${memory.key === null ? '' : `  [${memory.category}/${memory.key}]`}`,
      );
    }
    if (extraction.memory_ids.length === 0) say(`              (nothing to remember; ${extraction.state})`);
  }

  say('\nQuestions are answered from what was kept:\n');
  for (const query of DEMO_QUESTIONS) {
    const found = await call<SearchResponse>('/v1/memories/search', { user_id: DEMO_USER, query, limit: 3 });
    say(`  ${query}`);
    for (const { memory, similarity } of found.results) {
      say(`     ${similarity === undefined ? 'text' : similarity.toFixed(2)}  ${memory.content}`);
    }
  }

  const kept = await call<List<Memory>>(`/v1/memories?user_id=${DEMO_USER}&limit=200`);
  say(
    `\n${kept.data.length} memories of ${DEMO_USER} are kept. All of them: ${BASE_URL}/v1/memories?user_id=${DEMO_USER}`,
  );
}

try {
  await play();
} catch (error) {
  process.stderr.write(
    `demo: ${error instanceof DemoError ? error.message : 'it ended with an unexpected error.'}\n`,
  );
  process.exitCode = 1;
}
