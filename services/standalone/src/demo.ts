import { createClient, FactmillError } from '@factmill/client';
import { loadConfig, loadProcessEnvironment } from '@factmill/config';
import { isAppError } from '@factmill/errors';
import { findInstance } from '@factmill/runtime';
import { playDemo } from './demo/play-demo.ts';

/** Where the instance of this data folder listens, or `npm start` with the same settings would. */
function readAddress(): Readonly<{ baseUrl: string; apiKey: string | undefined }> {
  const { gateway, auth, storage } = loadConfig(loadProcessEnvironment());
  const local = findInstance(storage.dataDir)?.url ?? `http://127.0.0.1:${gateway.port}`;
  const [url = local, key] = process.argv.slice(2);
  return { baseUrl: url.replace(/(?<!\/)\/+$/, ''), apiKey: key ?? auth.adminKey ?? undefined };
}

function sentenceOf(error: unknown, baseUrl: string): string {
  const isElsewhere = error instanceof FactmillError && error.code === 'unreachable';
  // A TypeError: the address is none.
  if (isElsewhere || error instanceof TypeError) {
    return `Nothing answers at ${baseUrl}. Run npm start in another terminal first, or give the address: npm run demo -- http://host:port [api key]`;
  }
  if (isAppError(error)) return error.message;
  return error instanceof FactmillError ? error.detail : 'it ended with an unexpected error.';
}

let baseUrl = '';
try {
  const address = readAddress();
  ({ baseUrl } = address);
  await playDemo({
    connect: (userId) => createClient({ ...address, userId }),
    baseUrl,
    say: (line) => process.stdout.write(`${line}\n`),
  });
} catch (error) {
  process.stderr.write(`demo: ${sentenceOf(error, baseUrl)}\n`);
  process.exitCode = 1;
}
