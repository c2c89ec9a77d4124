import { runProcess } from '@factmill/runtime';
import { banner } from './banner.ts';
import { createStandalone } from './create-standalone.ts';

await runProcess(
  'factmill',
  async (context) => {
    const addresses = await createStandalone(context);
    process.stdout.write(banner(addresses, context.config));
  },
  // In a terminal the banner is what is to be read; LOG_LEVEL=info brings every request.
  { LOG_LEVEL: 'warn' },
);
