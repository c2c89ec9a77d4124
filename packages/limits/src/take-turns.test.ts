import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { AppError } from '@factmill/errors';
import { waitFor } from '@factmill/testkit';
import express, { type Response } from 'express';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createFairQueue } from './fair-queue.ts';
import { afterGoneMs, takeTurns } from './take-turns.ts';
import { createTenantActivity } from './tenant-activity.ts';

const queue = createFairQueue({
  slots: 1,
  share: 1,
  activity: createTenantActivity(0, () => 0),
  maxWaiting: 1,
  maxWaitMs: 60_000,
});
let goneMs = 0;
let open: Response[] = [];
let refused: string[] = [];
let server: Server;
let url: string;

beforeEach(async () => {
  const app = express();
  app.use((_request, response, next) => {
    response.locals['principal'] = { tenantId: 'a' };
    next();
  });
  goneMs = 60_000;
  app.use((request, response, next) =>
    takeTurns({
      queueOf: () => queue,
      afterGoneMs: goneMs,
      count: (reason, work) => refused.push(`${reason} ${work}`),
    })(request, response, next),
  );
  app.get('/', (_request, response) => {
    open.push(response);
  });
  app.use(((error: AppError, _request, response, _next) => {
    response.status(503).json({ code: error.code });
  }) as express.ErrorRequestHandler);
  await new Promise<void>((resolve) => {
    server = app.listen(0, '127.0.0.1', () => resolve());
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  open = [];
  refused = [];
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function untilOpen(count: number): Promise<void> {
  await waitFor(() => Promise.resolve(open.length === count), { describe: `${count} requests at work` });
}

async function untilWaiting(count: number): Promise<void> {
  await waitFor(() => Promise.resolve(queue.state().waiting === count), { describe: `${count} to wait` });
}

describe('taking turns', () => {
  test('the next handler begins when the one before has answered', async () => {
    const first = fetch(url);
    await untilOpen(1);
    const second = fetch(url);
    await untilWaiting(1);
    expect(open).toHaveLength(1);
    open[0]?.json({});
    expect((await first).status).toBe(200);
    await untilOpen(2);
    open[1]?.json({});
    expect((await second).status).toBe(200);
    expect(queue.state()).toEqual({ waiting: 0, inUse: 0 });
    expect(refused).toEqual([]);
  });

  test('a caller that goes away leaves the line; its running work keeps its slot until it ends', async () => {
    const callers = [new AbortController(), new AbortController()] as const;
    const running = fetch(url, { signal: callers[0].signal });
    await untilOpen(1);
    const waiting = fetch(url, { signal: callers[1].signal });
    await untilWaiting(1);
    for (const caller of callers) caller.abort();
    await expect(waiting).rejects.toThrow('aborted');
    await expect(running).rejects.toThrow('aborted');
    await untilWaiting(0);
    expect(queue.state().inUse).toBe(1);
    open[0]?.json({});
    expect(queue.state().inUse).toBe(0);
    expect(open).toHaveLength(1);
    expect(refused).toEqual([]);
  });

  test('work that does not say that it is over, of a caller that has gone, gives its slot back in time', async () => {
    goneMs = 50;
    const caller = new AbortController();
    const running = fetch(url, { signal: caller.signal });
    await untilOpen(1);
    caller.abort();
    await expect(running).rejects.toThrow('aborted');
    await waitFor(() => queue.state().inUse === 0, { describe: 'the slot to be free' });
  });

  test('that time is longer than the longest statement may take', () => {
    expect(afterGoneMs(15_000, 3_600_000, 30_000)).toBeGreaterThan(3_600_000);
  });

  test('more than may wait are refused, and counted', async () => {
    const first = fetch(url);
    await untilOpen(1);
    const second = fetch(url);
    await untilWaiting(1);
    const third = await fetch(url);
    expect(third.status).toBe(503);
    expect(await third.json()).toEqual({ code: 'overloaded' });
    expect(refused).toEqual(['overload read']);
    open[0]?.json({});
    await untilOpen(2);
    open[1]?.json({});
    await Promise.all([first, second]);
  });
});
