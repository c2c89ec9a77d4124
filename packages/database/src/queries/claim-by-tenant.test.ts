import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { claimByTenant, type TenantRow } from './claim-by-tenant.ts';

/** Rows that are due, and a claim that takes those of them that nobody has. */
function createWork(rows: readonly TenantRow[]) {
  const taken = new Set<string>();
  const statements: string[] = [];
  return {
    taken,
    statements,
    read: async (limit: number) => {
      statements.push('read');
      return rows.filter(({ id }) => !taken.has(id)).slice(0, limit);
    },
    claim: async (tenantId: string, ids: readonly string[]) => {
      statements.push(tenantId);
      const won = ids.filter((id) => !taken.has(id));
      for (const id of won) taken.add(id);
      return won.map((id) => row(id, tenantId));
    },
  };
}

const row = (id: string, tenantId: string): TenantRow => ({ id, tenantId });

test('without anything due there is one statement', async () => {
  const work = createWork([]);
  expect(await claimByTenant(5, work.read, work.claim)).toEqual([]);
  expect(work.statements).toEqual(['read']);
});

test('each tenant has a statement of its own, and the rows come in the order in which they are due', async () => {
  const rows = [row('1', 'b'), row('2', 'a'), row('3', 'b'), row('4', 'c'), row('5', 'b')];
  const work = createWork(rows);
  expect(await claimByTenant(3, work.read, work.claim)).toEqual(rows.slice(0, 3));
  expect(work.statements).toEqual(['read', 'b', 'a']);
});

test('rows that others hold are passed by, and tried once', async () => {
  const rows = [row('1', 'a'), row('2', 'a'), row('3', 'b')];
  const work = createWork(rows);
  const claim: typeof work.claim = async (tenantId, ids) =>
    work.claim(
      tenantId,
      ids.filter((id) => id !== '1'),
    );
  expect(await claimByTenant(1, work.read, claim)).toEqual([rows[1]]);
  expect(await claimByTenant(2, work.read, claim)).toEqual([rows[2]]);
  expect(work.statements).toEqual(['read', 'a', 'a', 'read', 'a', 'b']);
});

test('where others were faster it reads anew, more each time, and gives up in the end', async () => {
  const asked: number[] = [];
  const read = async (limit: number) => {
    asked.push(limit);
    return Array.from({ length: limit }, (_, index) => row(`${asked.length} ${index}`, 'a'));
  };
  expect(await claimByTenant(1, read, async () => [])).toEqual([]);
  expect(asked).toEqual([17, 34, 68, 136]);
});

test('all that are due were tried: it does not read anew', async () => {
  const work = createWork([row('1', 'a')]);
  expect(await claimByTenant(1, work.read, async () => [])).toEqual([]);
  expect(work.statements).toEqual(['read']);
});

test('a claim that fails says so', async () => {
  const { read } = createWork([row('1', 'a')]);
  const failing = claimByTenant(1, read, () => Promise.reject(new Error('away')));
  await expect(failing).rejects.toThrow('away');
});

test('whatever others hold: the first free rows, in their order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.boolean()), { maxLength: 120 }),
      fc.integer({ min: 1, max: 40 }),
      async (given, limit) => {
        const rows = given.map(([tenantId], index) => row(String(index), tenantId));
        const held = new Set(rows.filter((_, index) => given[index]?.[1]).map(({ id }) => id));
        const work = createWork(rows);
        const claim: typeof work.claim = async (tenantId, ids) =>
          work.claim(
            tenantId,
            ids.filter((id) => !held.has(id)),
          );
        const free = rows.filter(({ id }) => !held.has(id));
        expect(await claimByTenant(limit, work.read, claim)).toEqual(free.slice(0, limit));
      },
    ),
  );
});

test('no row is claimed twice, none more than wanted, and all in the end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 60 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 4 }),
      async (tenants, limit, workers) => {
        const work = createWork(tenants.map((tenantId, index) => row(String(index), tenantId)));
        const claimed: string[] = [];
        while (work.taken.size < tenants.length) {
          const turns = await Promise.all(
            Array.from({ length: workers }, () => claimByTenant(limit, work.read, work.claim)),
          );
          for (const turn of turns) expect(turn.length).toBeLessThanOrEqual(limit);
          claimed.push(...turns.flat().map(({ id }) => id));
        }
        expect(new Set(claimed).size).toBe(claimed.length);
        expect(claimed).toHaveLength(tenants.length);
      },
    ),
  );
});
