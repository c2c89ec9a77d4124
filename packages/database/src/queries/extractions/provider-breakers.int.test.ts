import { randomUUID } from 'node:crypto';
import { acceptRequest, NO_QUEUE_LIMITS, waitFor } from '@factmill/testkit';
import { openTestDatabase } from '@factmill/testkit/jest';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { migrate } from '../../migrate/migrate.ts';
import { createPool } from '../../pool/create-pool.ts';
import { acceptConversations } from '../accept/accept.ts';
import { findExtraction } from './extractions.ts';
import { extractionClaims } from '../claims.ts';
import { claimExtraction } from './ledger.ts';
import { saveOutput } from './outputs.ts';
import {
  acquirePermit,
  closeBreaker,
  listOpenBreakers,
  openBreaker,
  readBreaker,
} from './provider-breakers.ts';
import { DEFAULT_TENANT_ID } from '../operators/tenants.ts';

const { database } = await openTestDatabase({ createPool, migrate }, { max: 10 });
/** Each test has a provider of its own. */
let provider: string;

beforeEach(async () => {
  provider = `llm:${randomUUID()}`;
  await database.query('delete from conversations');
});

async function accept(): Promise<string> {
  const request = acceptRequest(DEFAULT_TENANT_ID);
  await acceptConversations(database, [request], NO_QUEUE_LIMITS);
  return request.extractionId;
}

const take = (id: string, probeIntervalMs = 60_000) =>
  claimExtraction(database, {
    tenantId: DEFAULT_TENANT_ID,
    id,
    workerId: 'one',
    leaseMs: 60_000,
    provider: { name: provider, probeIntervalMs },
  });

const open = (waitMs: number, more: { isProbe?: boolean; extractionId?: string | null } = {}) =>
  openBreaker(database, {
    provider,
    reason: 'transient',
    waitMs,
    isProbe: false,
    extractionId: null,
    ...more,
  });

const row = (id: string) => database.one('select * from extractions where id = $1::uuid', [id]);

describe('a provider that is down', () => {
  test('one of all that ask gets the try that is due', async () => {
    await open(0);
    const entries = await Promise.all(
      Array.from({ length: 30 }, () => acquirePermit(database, provider, 60_000)),
    );
    expect(entries.filter(({ kind }) => kind === 'probe')).toHaveLength(1);
    for (const entry of entries) {
      if (entry.kind !== 'probe') {
        expect(entry.kind).toBe('denied');
        expect(entry.kind === 'denied' && entry.waitMs > 50_000 && entry.waitMs <= 60_000).toBe(true);
      }
    }
  });

  test('explains extractions that wait for it without having been tried', async () => {
    const outageOf = async (id: string) => (await findExtraction(database, DEFAULT_TENANT_ID, id))?.outage;
    await database.query('delete from provider_breakers');
    const id = await accept();
    expect(await outageOf(id)).toBeNull();
    await open(40_000);
    expect(await outageOf(id)).toBe('transient');
    await database.query(`update provider_breakers set next_probe_at = now() - interval '2 minutes'`);
    expect(await outageOf(id)).toBeNull();
    await open(40_000);
    await closeBreaker(database, provider);
    expect(await outageOf(id)).toBeNull();
  });

  test('no probe is granted before its time, and the time is never brought forward', async () => {
    expect(await open(40_000)).toBeGreaterThan(39_000);
    expect(await open(1_000)).toBeGreaterThan(38_000);
    expect(await open(80_000)).toBeGreaterThan(79_000);
    expect(await acquirePermit(database, provider, 10)).toMatchObject({ kind: 'denied' });
  });

  test('failed tries are counted, other failures are not', async () => {
    await open(0);
    await open(0);
    expect(await readBreaker(database, provider)).toEqual({ isOpen: true, failures: 1 });
    await open(0, { isProbe: true });
    expect(await readBreaker(database, provider)).toEqual({ isOpen: true, failures: 2 });
    expect(await listOpenBreakers(database)).toContain(provider);
  });

  test('once closed everybody goes, and the count starts over', async () => {
    await open(60_000);
    expect(await closeBreaker(database, provider)).toBe(true);
    expect(await closeBreaker(database, provider)).toBe(false);
    expect(await acquirePermit(database, provider, 60_000)).toEqual({ kind: 'granted' });
    expect(await readBreaker(database, provider)).toEqual({ isOpen: false, failures: 0 });
    expect(await open(0)).toBeLessThan(100);
  });
});

describe('claiming while the provider is down', () => {
  test('is refused and leaves the row as it was', async () => {
    const id = await accept();
    const before = await row(id);
    await open(30_000);
    const answer = await take(id);
    expect(answer).toMatchObject({ kind: 'breaker_open' });
    expect(answer.kind === 'breaker_open' && answer.retryInMs).toBeGreaterThan(29_000);
    expect(await row(id)).toEqual(before);
  });

  test('the claim that comes when a try is due is that try, and the only one', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, accept));
    await open(0);
    const answers = await Promise.all(ids.map((id) => take(id)));
    const claimed = answers.flatMap((answer) => (answer.kind === 'claimed' ? [answer.claim] : []));
    expect(claimed).toHaveLength(1);
    expect(claimed[0]?.isProbe).toBe(true);
    expect(answers.filter(({ kind }) => kind === 'breaker_open')).toHaveLength(7);
  });

  test('what cannot be claimed takes no try', async () => {
    const id = await accept();
    await take(id);
    await open(0);
    const other = await claimExtraction(database, {
      tenantId: DEFAULT_TENANT_ID,
      id,
      workerId: 'two',
      leaseMs: 60_000,
      provider: { name: provider, probeIntervalMs: 60_000 },
    });
    expect(other.kind).toBe('leased');
    expect(await acquirePermit(database, provider, 60_000)).toEqual({ kind: 'probe' });
  });

  test('an answer that is pinned needs no provider', async () => {
    const id = await accept();
    const answer = await take(id);
    if (answer.kind !== 'claimed') throw new Error(answer.kind);
    const output = {
      provider: 'openai',
      model: 'm',
      promptVersion: 'p',
      raw: '{}',
      finishReason: null,
      promptTokens: 1,
      completionTokens: 1,
    };
    await saveOutput(database, answer.claim, { output, modelMs: 1 }, 'pinned');
    const release = { delayMs: 0, countsAsAttempt: false, errorClass: 'x', errorMessage: '' };
    await extractionClaims.release(database, answer.claim, release);
    await open(30_000);
    const again = await take(id);
    expect(again).toMatchObject({
      kind: 'claimed',
      claim: { isProbe: false },
      input: { pinned: { raw: '{}' } },
    });
  });

  test('rules have no provider to be down', async () => {
    await open(30_000);
    const id = await accept();
    const answer = await claimExtraction(database, {
      tenantId: DEFAULT_TENANT_ID,
      id,
      workerId: 'one',
      leaseMs: 1_000,
    });
    expect(answer).toMatchObject({ kind: 'claimed', claim: { isProbe: false } });
  });

  test('the last failed try leaves the next one to another extraction, if there is one', async () => {
    const bad = await accept();
    await open(0, { extractionId: bad });
    const other = await accept();
    expect(await take(bad)).toMatchObject({ kind: 'last_probe' });
    expect(await take(other)).toMatchObject({ kind: 'claimed', claim: { isProbe: true } });
  });

  test('alone, it is the try itself; and with others that do not come, after half an interval', async () => {
    const bad = await accept();
    await open(0, { extractionId: bad });
    const first = await take(bad, 100);
    expect(first).toMatchObject({ kind: 'claimed', claim: { isProbe: true } });
    if (first.kind === 'claimed') {
      await extractionClaims.release(database, first.claim, {
        delayMs: 0,
        countsAsAttempt: false,
        errorClass: 'transient',
        errorMessage: '',
      });
    }
    await accept();
    const startedAt = performance.now();
    await waitFor(async () => (await take(bad, 100)).kind === 'claimed', {
      intervalMs: 5,
      describe: 'the try',
    });
    expect(performance.now() - startedAt).toBeGreaterThan(100);
  });
});
