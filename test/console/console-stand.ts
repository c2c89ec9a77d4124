import { type Client, createClient } from '@factmill/client';
import type { Permission } from '@factmill/contracts';
import { migrate } from '@factmill/database';
import { createRedisNamespace, createTestDatabase, patiently } from '@factmill/testkit';
import { Client as Database, type QueryResult } from 'pg';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startBrowser } from '../support/browser.ts';
import { type ServiceProcess, startService, startServices } from '../support/service-process.ts';

export const ADMIN_KEY = 'administrators-key-for-the-console';

/** One browser, and all services on a database of their own, behind authentication. Memories come from rules. */
export type ConsoleStand = Readonly<{
  url: string;
  /** A statement of the owner of the tables. */
  query: (sql: string, values?: readonly unknown[]) => Promise<QueryResult>;
  browser: Browser;
  admin: Client;
  makeKey: (name: string, permissions: Permission[], user?: string) => Promise<{ id: string; key: string }>;
  /** One more gateway on the same storage, with other settings. */
  another: (environment: Readonly<Record<string, string>>) => Promise<ConsoleStand>;
  close: () => Promise<void>;
}>;

const quiet = { info: () => undefined, warn: () => undefined };

export async function openConsoleStand(): Promise<ConsoleStand> {
  const database = await createTestDatabase({
    migrate: (url, how) => migrate(url, { logger: quiet, ...how }),
  });
  const redis = createRedisNamespace();
  const environment = {
    DATABASE_URL: database.serviceUrl,
    REDIS_URL: redis.url,
    QUEUE_PREFIX: redis.keyPrefix,
    AUTH: 'required',
    ADMIN_API_KEY: ADMIN_KEY,
    // Lists are read to their end as fast as the browser scrolls.
    RATE_LIMIT_KEY: '0',
    RATE_LIMIT_TENANT: '0',
  };
  const owner = new Database({ connectionString: database.connectionString });
  const [browser, services] = await Promise.all([
    startBrowser(),
    startServices(environment),
    owner.connect(),
  ]);
  const { url } = services.gateway;
  const admin = createClient({ baseUrl: url, apiKey: ADMIN_KEY });
  const others: ServiceProcess[] = [];
  const stand: ConsoleStand = {
    url,
    query: (sql, values = []) => owner.query(sql, [...values]),
    browser,
    admin,
    another: async (changed) => {
      const started = { ...environment, RETRIEVAL_URL: services.retrieval.url, ...changed };
      const gateway = await startService('gateway', started);
      others.push(gateway);
      return { ...stand, url: gateway.url };
    },
    makeKey: async (name, permissions, user) => {
      const lock = user === undefined ? {} : { user_id: user, user_locked: true };
      const { id, key } = await admin.apiKeys.create({ name, permissions, ...lock });
      return { id, key };
    },
    close: async () => {
      await browser.close();
      await owner.end();
      await Promise.all([...Object.values(services), ...others].map((service) => service.kill('SIGTERM')));
      await redis.cleanup();
      await database.drop();
    },
  };
  return stand;
}

/** A page of the console, and everything that went wrong in it. */
export type Console = Readonly<{
  page: Page;
  context: BrowserContext;
  /** Errors, refusals of the content security policy, requests to other origins. Stays empty. */
  problems: string[];
  /** Goes to an address under `/console`. */
  open: (path: string) => Promise<void>;
  close: () => Promise<void>;
}>;

/** Opens the console in a browser profile of its own and, with a key, signs in. */
export async function openConsole(
  stand: ConsoleStand,
  key: string | null,
  viewport = { width: 1280, height: 800 },
): Promise<Console> {
  const context = await stand.browser.newContext({
    viewport,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(patiently(10_000));
  const problems = watch(page, new URL(stand.url).origin);
  const open = async (path: string) => {
    await page.goto(`${stand.url}/console${path}`);
  };
  if (key !== null) {
    await open('');
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
  }
  return { page, context, problems, open, close: () => context.close() };
}

function watch(page: Page, origin: string): string[] {
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') {
      problems.push(`console: ${message.text()} ${message.location().url}`);
    }
  });
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) problems.push(`request: ${request.url().slice(0, 200)}`);
  });
  return problems;
}
