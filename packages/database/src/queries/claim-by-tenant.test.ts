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
    claim: async (tenantId: string, ids: readonly string[], limit: number) => {
      statements.push(tenantId);
      const won = ids.filter((id) => !taken.has(id)).slice(0, limit);
      for (const id of won) taken.add(id);
      return won;
    },
  };
}

const row = (id: string, tenantId: string): TenantRow => ({ id, tenantId });

test('without anything due there is one statement', async () => {
  const work = createWork([]);
  expect(await claimByTenant(5, work.read, work.claim)).toEqual([]);
  expect(work.statements).toEqual(['read']);
});

test('each tenant has a statement of its own, in the order in which its first row is due', async () => {
  const work = createWork([row('1', 'b'), row('2', 'a'), row('3', 'b'), row('4', 'c')]);
  expect(await claimByTenant(3, work.read, work.claim)).toEqual(['1', '3', '2']);
  expect(work.statements).toEqual(['read', 'b', 'a']);
});

test('rows that another worker holds are passed by', async () => {
  const work = createWork([row('1', 'a'), row('2', 'a'), row('3', 'b')]);
  const claim: typeof work.claim = async (tenantId, ids, limit) =>
    work.claim(
      tenantId,
      ids.filter((id) => id !== '1'),
      limit,
    );
  expect(await claimByTenant(1, work.read, claim)).toEqual(['2']);
});

test('where others were faster it reads anew, and gives up in the end', async () => {
  const work = createWork([row('1', 'a')]);
  expect(await claimByTenant(1, work.read, async () => [])).toEqual([]);
  expect(work.statements).toEqual(['read', 'read', 'read']);
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
          claimed.push(...turns.flat());
        }
        expect(new Set(claimed).size).toBe(claimed.length);
        expect(claimed).toHaveLength(tenants.length);
      },
    ),
  );
});
