// A chat and embedding endpoint that answers at once, or chats after LATENCY_MS. It finds the code word of the last
// message without parsing the body and returns precomputed vectors, so that it costs the machine little. VECTORS_FILE
// has vectors of certain texts (JSON, by text).
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

const DIMENSIONS = Number(process.env['DIMENSIONS'] ?? 512);
const KNOWN = readVectors(process.env['VECTORS_FILE']);
const VECTORS = Array.from({ length: 256 }, () => {
  const vector = Array.from({ length: DIMENSIONS }, () => Math.random() - 0.5);
  const length = Math.hypot(...vector);
  return JSON.stringify(vector.map((component) => Number((component / length).toFixed(6))));
});
const CODE_WORD = /code word number (\d+) is/g;
const LATENCY_MS = Number(process.env['LATENCY_MS'] ?? 0);
let given = 0;

function readVectors(file: string | undefined): ReadonlyMap<string, string> {
  if (file === undefined) return new Map();
  const vectors = JSON.parse(readFileSync(file, 'utf8')) as Record<string, number[]>;
  return new Map(Object.entries(vectors).map(([text, vector]) => [text, JSON.stringify(vector)]));
}

function chatReply(body: string): string {
  const number = [...body.matchAll(CODE_WORD)].at(-1)?.[1] ?? '0';
  const content = JSON.stringify({ facts: { [`code_word_${number}`]: `zebra${number}` }, context: [] });
  const choice = { index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' };
  const usage = { prompt_tokens: 400, completion_tokens: 20, total_tokens: 420 };
  return JSON.stringify({
    id: 'chat',
    object: 'chat.completion',
    created: 0,
    model: 'instant',
    choices: [choice],
    usage,
  });
}

function embeddingsReply(body: string): string {
  const { input } = JSON.parse(body) as { input: readonly string[] };
  const data = input.map((text, index) => {
    given += 1;
    const vector = KNOWN.get(text) ?? VECTORS[given % VECTORS.length];
    return `{"object":"embedding","index":${index},"embedding":${vector}}`;
  });
  return `{"object":"list","model":"instant","data":[${data.join(',')}],"usage":{"prompt_tokens":1,"total_tokens":1}}`;
}

async function readBody(request: IncomingMessage): Promise<string> {
  request.setEncoding('utf8');
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}

function answerChat(response: ServerResponse, reply: string): void {
  if (LATENCY_MS === 0) response.end(reply);
  else setTimeout(() => response.end(reply), LATENCY_MS);
}

const server = createServer((request, response) => {
  void readBody(request).then((body) => {
    response.setHeader('content-type', 'application/json');
    if (request.url === '/v1/chat/completions') answerChat(response, chatReply(body));
    else if (request.url === '/v1/embeddings') response.end(embeddingsReply(body));
    else response.end('{}');
  });
});
server.listen(Number(process.env['PORT']), '127.0.0.1');
process.once('SIGTERM', () => process.exit(0));
