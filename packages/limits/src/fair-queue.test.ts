import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { createFairQueue, type FairQueueOptions } from './fair-queue.ts';
import { createTenantActivity } from './tenant-activity.ts';

const ACTIVE_MS = 1_000;
const OPTIONS: Omit<FairQueueOptions, 'activity'> = {
  slots: 5,
  share: 2,
  maxWaiting: 1_000,
  maxWaitMs: 60_000,
};

type Request = { tenant: string; weight: number; number: number; release?: () => void; isDone: boolean };

/** A queue with a clock, and the order in which requests have started. */
function createStand(options: Partial<FairQueueOptions> = {}) {
  let at = 0;
  const activity = createTenantActivity(ACTIVE_MS, () => at);
  const queue = createFairQueue({ ...OPTIONS, activity, ...options });
  const started: Request[] = [];
  const requests: Request[] = [];
  const ask = (tenant: string, weight = 1): Request => {
    const request: Request = { tenant, weight, number: requests.length, isDone: false };
    requests.push(request);
    queue.acquire(tenant, weight).then(
      (release) => {
        request.release = release;
        started.push(request);
      },
      // What still waits at the end of a test is refused when nobody looks any more.
      () => undefined,
    );
    return request;
  };
  const end = async (request: Request | undefined): Promise<void> => {
    if (request?.release === undefined) throw new Error('only what runs can end');
    request.isDone = true;
    request.release();
    await turnOfTheLoop();
  };
  const running = (tenant?: string) =>
    started.filter((one) => !one.isDone && (tenant === undefined || one.tenant === tenant));
  return {
    queue,
    activity,
    started,
    requests,
    ask,
    end,
    running,
    slotsOf: (tenant?: string) => running(tenant).reduce((sum, { weight }) => sum + weight, 0),
    waiting: () => requests.filter((one) => one.release === undefined),
    pass: (ms: number) => (at += ms),
  };
}

describe('the fair queue', () => {
  test('leaves a tenant its share while another one is active in any queue', async () => {
    const stand = createStand();
    stand.activity.note('b');
    for (let request = 0; request < 7; request += 1) stand.ask('a');
    await turnOfTheLoop();
    expect(stand.slotsOf('a')).toBe(2);
  });

  test('gives a tenant that is alone every slot', async () => {
    const stand = createStand();
    for (let request = 0; request < 7; request += 1) stand.ask('a');
    await turnOfTheLoop();
    expect(stand.slotsOf('a')).toBe(5);
    expect(stand.queue.state()).toEqual({ waiting: 2, inUse: 5 });
  });

  test('a flood of one tenant leaves free slots for another one that was active a moment ago', async () => {
    const stand = createStand();
    await turnOfTheLoop();
    const quiet = stand.ask('b');
    await turnOfTheLoop();
    await stand.end(quiet);
    for (let request = 0; request < 100; request += 1) stand.ask('a');
    await turnOfTheLoop();
    expect(stand.slotsOf('a')).toBe(2);
    const next = stand.ask('b');
    await turnOfTheLoop();
    expect(next.release).toBeDefined();

    await stand.end(next);
    stand.pass(1_001);
    await stand.end(stand.running('a')[0]);
    expect(stand.slotsOf('a')).toBe(5);
  });

  test('a tenant that comes to a full queue gets the next slot that is free', async () => {
    const stand = createStand();
    for (let request = 0; request < 50; request += 1) stand.ask('a');
    const late = stand.ask('b');
    await turnOfTheLoop();
    expect(late.release).toBeUndefined();
    await stand.end(stand.running('a')[0]);
    expect(late.release).toBeDefined();
  });

  test('heavy requests of one tenant take its share, and no more', async () => {
    const stand = createStand();
    stand.ask('b');
    for (let request = 0; request < 10; request += 1) stand.ask('a', 2);
    await turnOfTheLoop();
    expect(stand.running('a')).toHaveLength(1);
    // Heavier than the share is as heavy as the share.
    expect(stand.ask('c', 50).weight).toBe(50);
    await turnOfTheLoop();
    expect(stand.running('c')).toHaveLength(1);
    expect(stand.queue.state().inUse).toBe(5);
  });

  test('refuses a tenant with too many waiting, and nobody else', async () => {
    const stand = createStand({ maxWaiting: 3 });
    for (let request = 0; request < 8; request += 1) stand.ask('a');
    await turnOfTheLoop();
    await expect(stand.queue.acquire('a')).rejects.toMatchObject({
      code: 'overloaded',
      retryAfterSeconds: expect.any(Number),
    });
    expect(stand.queue.state()).toEqual({ waiting: 3, inUse: 5 });
    const other = stand.ask('b');
    await stand.end(stand.running('a')[0]);
    expect(other.release).toBeDefined();
  });

  test('who waits too long, or has gone, leaves the queue', async () => {
    const { queue } = createStand({ slots: 1, share: 1, maxWaitMs: 1 });
    const release = await queue.acquire('a');
    await expect(queue.acquire('a')).rejects.toMatchObject({ code: 'overloaded' });

    const patient = createStand({ slots: 1, share: 1 });
    const held = await patient.queue.acquire('a');
    const gone = new AbortController();
    const waiting = patient.queue.acquire('b', 1, gone.signal);
    gone.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'overloaded' });
    await expect(patient.queue.acquire('b', 1, gone.signal)).rejects.toMatchObject({ code: 'overloaded' });
    expect(patient.queue.state()).toEqual({ waiting: 0, inUse: 1 });
    for (const end of [release, held, held]) end();
    expect(patient.queue.state()).toEqual({ waiting: 0, inUse: 0 });
  });

  type Step = Readonly<{ kind: 'ask' | 'end' | 'pass'; tenant: number; weight: number; which: number }>;
  const steps = fc.array(
    fc.record<Step>({
      kind: fc.constantFrom('ask', 'ask', 'end', 'pass'),
      tenant: fc.nat(3),
      weight: fc.integer({ min: 1, max: 3 }),
      which: fc.nat(1_000),
    }),
    { maxLength: 60 },
  );
  const sizes = fc.record({ slots: fc.integer({ min: 1, max: 6 }), share: fc.integer({ min: 1, max: 4 }) });

  test('whatever comes: never above the limit, in order within a tenant, nothing idle, nobody left behind', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, steps, async ({ slots, share: wanted }, script) => {
        const share = Math.min(slots, wanted);
        const stand = createStand({ slots, share });
        for (const { kind, tenant, weight, which } of script) {
          if (kind === 'ask') stand.ask(`tenant-${tenant}`, Math.min(weight, share));
          if (kind === 'pass') stand.pass(which);
          const running = stand.running();
          const one = running[which % Math.max(1, running.length)];
          if (kind === 'end' && one !== undefined) await stand.end(one);
          await turnOfTheLoop();
          assertSound(stand, slots, share);
        }
        // Every round ends all that runs: as long as anyone waits, somebody starts.
        while (stand.waiting().length > 0) {
          const before = stand.waiting().length;
          for (const one of stand.running()) await stand.end(one);
          expect(stand.waiting().length).toBeLessThan(before);
        }
        for (const one of stand.running()) await stand.end(one);
        expect(stand.queue.state()).toEqual({ waiting: 0, inUse: 0 });
      }),
      { numRuns: 200 },
    );
  });

  test('a tenant that comes to a crowd is overtaken by each other tenant once at most', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 5 }), async ({ slots, share }, others) => {
        const stand = createStand({ slots, share: Math.min(slots, share) });
        for (let turn = 0; turn < 20; turn += 1) {
          for (let other = 0; other < others; other += 1) stand.ask(`flood-${other}`);
        }
        await turnOfTheLoop();
        const victim = stand.ask('victim');
        await turnOfTheLoop();
        let overtakenBy = 0;
        while (victim.release === undefined) {
          await stand.end(stand.running()[0]);
          overtakenBy += 1;
        }
        expect(overtakenBy).toBeLessThanOrEqual(others + 1);
      }),
      { numRuns: 100 },
    );
  });
});

function assertSound(stand: ReturnType<typeof createStand>, slots: number, share: number): void {
  const free = slots - stand.slotsOf();
  expect(free).toBeGreaterThanOrEqual(0);
  expect(stand.queue.state()).toEqual({ waiting: stand.waiting().length, inUse: stand.slotsOf() });
  for (const tenant of new Set(stand.requests.map((one) => one.tenant))) {
    const numbers = stand.started.filter((one) => one.tenant === tenant).map((one) => one.number);
    expect(numbers).toEqual(numbers.toSorted((left, right) => left - right));
  }
  // With room for the heaviest, whoever waits is at its own limit.
  if (free < share) return;
  const waitingTenants = new Set(stand.waiting().map((one) => one.tenant));
  for (const tenant of waitingTenants) {
    const head = stand.waiting().find((one) => one.tenant === tenant);
    expect(stand.slotsOf(tenant) + (head?.weight ?? 0)).toBeGreaterThan(share);
  }
}
