// Writes lines and ends as its argument says, with lines still in the buffer.
import { createLogger } from './logger.ts';

const logger = createLogger({ service: 'fixture', level: 'info' });
for (let line = 0; line < 1_000; line += 1) logger.info({ line }, 'line');

const end = process.argv[2];
if (end === 'exit') process.exit(0);
if (end === 'throw') throw new Error('crash');
if (end === 'kill') {
  logger.fatal({ line: 1_000 }, 'line');
  process.kill(process.pid, 'SIGKILL');
}
