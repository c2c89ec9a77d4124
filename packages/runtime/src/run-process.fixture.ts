import { AppError } from '@factmill/errors';
import { runProcess } from './run-process.ts';

/** A service for run-process.int.test.ts: argv names how it starts and how it closes. */
const [start, close] = process.argv.slice(2);

await runProcess('fixture', async ({ disposables, logger, config }) => {
  const keepAlive = setInterval(() => undefined, 60_000);
  disposables.add({
    close: async () => {
      if (close === 'hang') await new Promise(() => undefined);
      clearInterval(keepAlive);
      if (close === 'throw') throw new Error('secret words');
      logger.info('closed');
    },
  });
  if (start === 'refuse') throw new AppError('port_in_use', 'Port 1 is taken.');
  if (start === 'throw') throw new Error('secret words');
  if (start === 'reject-later') setTimeout(() => void Promise.reject(new Error('secret words')), 10);
  logger.info({ port: config.gateway.port }, 'started');
});
