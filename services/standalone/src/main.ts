import { runProcess } from '@factmill/runtime';
import { banner } from './banner.ts';
import { createStandalone } from './create-standalone.ts';
import { HELP } from './help.ts';

const isHelp = process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h');
if (isHelp) process.stdout.write(HELP);
else {
  await runProcess(
    'factmill',
    async (context) => {
      const addresses = await createStandalone(context, (line) =>
        process.stdout.write(`factmill: ${line}\n`),
      );
      process.stdout.write(banner(addresses, context.config));
    },
    {
      // In a terminal the banner should be readable; LOG_LEVEL=info logs every request.
      defaults: { LOG_LEVEL: 'warn' },
      farewell: '\nFactmill has stopped. Nothing is lost: what was under way goes on at the next start.\n',
    },
  );
}
