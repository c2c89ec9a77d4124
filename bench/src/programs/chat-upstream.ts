// A chat provider that answers at once, whole or as a stream whose events are 5 ms apart.
import { createServer } from 'node:http';

const REPLY = JSON.stringify({
  id: 'c',
  object: 'chat.completion',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'word '.repeat(200) }, finish_reason: 'stop' },
  ],
});
const EVENT = `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content: 'word ' } }] })}\n\n`;
const EVENTS = 20;

const server = createServer((request, response) => {
  let isStream = false;
  request.on('data', (chunk: Buffer) => (isStream ||= chunk.includes('"stream":true')));
  request.once('end', () => {
    if (!isStream) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(REPLY);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let left = EVENTS;
    const timer = setInterval(() => {
      left -= 1;
      if (left > 0) return response.write(EVENT);
      clearInterval(timer);
      return response.end('data: [DONE]\n\n');
    }, 5);
    response.write(EVENT);
  });
});
server.listen(Number(process.env['PORT']), '127.0.0.1');
process.once('SIGTERM', () => process.exit(0));
