import { type Browser, chromium } from 'playwright-core';

/** Host names that the browser finds on this machine, whatever DNS says: as after a rebinding. */
const RESOLVED_HERE = ['evil.example', 'rebound.example', 'app.example'];

/** A headless Chromium. Close it at the end. */
export function startBrowser(): Promise<Browser> {
  const executablePath = process.env['TEST_CHROMIUM'];
  if (executablePath === undefined || executablePath === '') {
    throw new Error(
      'TEST_CHROMIUM is not set: run the tests through npm test, or set it to the path of a Chromium',
    );
  }
  return chromium.launch({
    executablePath,
    args: [
      // Its sandbox does not run as root, as tests in containers do.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // Newer browsers keep pages away from this machine's addresses themselves; older ones do not.
      '--disable-features=LocalNetworkAccessChecks',
      `--host-resolver-rules=${RESOLVED_HERE.map((name) => `MAP ${name} 127.0.0.1`).join(',')}`,
    ],
  });
}
