// The baseline of `accept`: an Express handler that only parses the body and calls `queue.add`.
import { Queue } from 'bullmq';
import express from 'express';
import { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';

const queue = new Queue('accept-baseline', {
  connection: new Redis(String(process.env['REDIS_URL'])),
  prefix: String(process.env['QUEUE_PREFIX']),
});
const app = express();
app.use(express.json());
app.get('/', (_request, response) => {
  response.json({ ready: true });
});
app.post('/', async (request, response) => {
  const id = randomUUID();
  await queue.add('extract', request.body, { jobId: id });
  response.status(202).json({ id });
});
app.listen(Number(process.env['PORT']), '127.0.0.1');
process.once('SIGTERM', () => process.exit(0));
