import { randomUUID } from 'node:crypto';
import {
  createPool,
  DEFAULT_TENANT_ID,
  deleteMemories,
  listMemoryVersions,
  migrate,
} from '@factmill/database';
import type { Candidate } from '@factmill/extraction';
import { openTestDatabase } from '@factmill/testkit/jest';
import { beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { MemoryToWrite, Written } from './write-request.ts';
import { writeMemories } from './write-memories.ts';

const { database } = await openTestDatabase({ createPool, migrate }, { max: 20 });
let userId: string;

beforeEach(() => {
  userId = randomUUID();
});

function at(minute: number): Date {
  return new Date(Date.UTC(2026, 4, 1, 0, minute));
}

function base(minute: number): Candidate {
  return {
    kind: 'note',
    tier: 2,
    category: 'general',
    key: null,
    value: null,
    content: '',
    question: null,
    answer: null,
    tags: [],
    importance: 0.5,
    confidence: 70,
    source: 'conversation',
    sourceContext: null,
    messageIds: [],
    statedAt: at(minute),
  };
}

function fact(key: string, value: string, minute = 0): Candidate {
  return { ...base(minute), kind: 'fact', key, value, content: `The user's ${key} is ${value}.` };
}

function note(content: string, minute = 0): Candidate {
  return { ...base(minute), content };
}

function qa(question: string, answer: string, minute = 0): Candidate {
  return { ...base(minute), kind: 'qa', question, answer, content: `Q: ${question}\nA: ${answer}` };
}

function write(
  candidates: readonly Candidate[],
  options: { now?: Date; extra?: Omit<MemoryToWrite, 'candidate'>; user?: string } = {},
): Promise<Written[]> {
  return database.transaction((tx) =>
    writeMemories(tx, {
      tenantId: DEFAULT_TENANT_ID,
      userId: options.user ?? userId,
      memories: candidates.map((candidate) => ({ candidate, ...options.extra })),
      actor: { actor: 'test', extractionId: null },
      wantsEmbedding: true,
      newId: randomUUID,
      now: options.now ?? at(10_000),
    }),
  );
}

type Row = {
  id: string;
  key: string | null;
  value: string | null;
  content: string;
  current: boolean;
  supersededBy: string | null;
  statedAt: Date;
  validTo: Date | null;
  waits: boolean;
};

async function stored(user = userId): Promise<Row[]> {
  const { rows } = await database.query<Row>(
    `select id, key, value, content, is_current as current, superseded_by as "supersededBy", stated_at as "statedAt",
       valid_to as "validTo", embedding_pending_since is not null as waits
     from memories where tenant_id = $1::uuid and user_id = $2::text order by stated_at, content`,
    [DEFAULT_TENANT_ID, user],
  );
  return rows;
}

async function current(user = userId): Promise<string[]> {
  return (await stored(user)).filter((row) => row.current).map((row) => row.value ?? row.content);
}

const statuses = (written: readonly Written[]) => written.map(({ status }) => status);

describe('writeMemories', () => {
  test('the same again changes nothing', async () => {
    const candidates = [fact('home', 'Lisbon'), note('The user owns a boat.'), qa('Which tea?', 'Oolong.')];
    const first = await write(candidates);
    expect(statuses(first)).toEqual(['created', 'created', 'created']);
    const before = await stored();
    const second = await write(candidates);
    expect(second).toEqual(
      first.map(({ id }) => ({ status: 'unchanged', id, pendingContent: null, reason: 'known' })),
    );
    expect(await stored()).toEqual(before);
  });

  test('a newer value replaces the older, which becomes history', async () => {
    const [old] = await write([fact('home', 'Lisbon', 1)]);
    const [fresh] = await write([fact('home', 'Porto', 2)]);
    expect(fresh).toMatchObject({ status: 'updated', pendingContent: `The user's home is Porto.` });
    expect(await stored()).toMatchObject([
      { id: old?.id, current: false, supersededBy: fresh?.id, validTo: at(2), waits: false },
      { id: fresh?.id, current: true, supersededBy: null, validTo: null, waits: true },
    ]);
    const versions = await listMemoryVersions(database, {
      tenantId: DEFAULT_TENANT_ID,
      userId,
      id: fresh?.id ?? '',
    });
    expect(versions.map(({ memoryId, number, operation }) => ({ memoryId, number, operation }))).toEqual(
      expect.arrayContaining([
        { memoryId: old?.id, number: 1, operation: 'ADD' },
        { memoryId: old?.id, number: 2, operation: 'SUPERSEDE' },
        { memoryId: fresh?.id, number: 1, operation: 'ADD' },
      ]),
    );
    const superseded = versions.find((version) => version.operation === 'SUPERSEDE');
    expect(superseded?.before).toMatchObject({ valid_to: null });
    expect(superseded?.after).toMatchObject({ superseded_by: fresh?.id });
  });

  test('what was said earlier but arrives later becomes history at once', async () => {
    const [fresh] = await write([fact('home', 'Porto', 2)]);
    const [late] = await write([fact('home', 'Lisbon', 1)]);
    expect(late).toEqual({ status: 'unchanged', id: fresh?.id, pendingContent: null, reason: 'outdated' });
    expect(await stored()).toMatchObject([
      { value: 'Lisbon', current: false, supersededBy: fresh?.id, waits: false },
      { value: 'Porto', current: true },
    ]);
    await write([fact('home', 'Lisbon', 1)]);
    expect(await stored()).toHaveLength(2);
  });

  test('whatever the order in which they are written, the latest statement of each key is current', async () => {
    const statement = fc.record({
      key: fc.constantFrom('home', 'job', 'tea'),
      value: fc.constantFrom('a', 'b', 'c'),
      minute: fc.integer({ min: 0, max: 100_000 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc
          .uniqueArray(statement, { selector: (item) => item.minute, minLength: 1, maxLength: 8 })
          .chain((said) =>
            fc.tuple(fc.constant(said), fc.shuffledSubarray(said, { minLength: said.length })),
          ),
        async ([said, shuffled]) => {
          const outcomes: string[][] = [];
          for (const order of [said, shuffled]) {
            const user = randomUUID();
            for (const { key, value, minute } of order) {
              await write([fact(key, value, minute)], { user });
            }
            outcomes.push(
              (await stored(user))
                .filter((row) => row.current)
                .map((row) => `${row.key}=${row.value}`)
                .toSorted(),
            );
          }
          const latest = new Map(
            said.toSorted((a, b) => a.minute - b.minute).map(({ key, value }) => [key, `${key}=${value}`]),
          );
          expect(outcomes).toEqual([[...latest.values()].toSorted(), [...latest.values()].toSorted()]);
        },
      ),
      { numRuns: 15 },
    );
  });

  test('said again later, a fact is confirmed: what was said in between does not replace it', async () => {
    await write([fact('home', 'Lisbon', 1)]);
    expect(statuses(await write([fact('home', 'Lisbon', 5)]))).toEqual(['unchanged']);
    expect((await stored())[0]?.statedAt).toEqual(at(5));
    await write([fact('home', 'Porto', 3)]);
    expect(await current()).toEqual(['Lisbon']);
  });

  test('one batch with repetitions stores each once, the latest value of a key, and answers in order', async () => {
    const written = await write([
      fact('home', 'Lisbon', 1),
      note('The user owns a boat.'),
      fact('home', 'Porto', 2),
      note('the user owns a boat.'),
      qa('Which tea?', 'Green.', 1),
      qa('which tea?', 'Oolong.', 2),
    ]);
    expect(written).toHaveLength(6);
    expect(written[0]?.id).toBe(written[2]?.id);
    expect(written[1]?.id).toBe(written[3]?.id);
    expect(written[4]?.id).toBe(written[5]?.id);
    expect((await current()).toSorted()).toEqual(
      [
        'Porto',
        'Q: which tea?\nA: Oolong.',
        written[3]?.id === null ? '' : 'the user owns a boat.',
      ].toSorted(),
    );
  });

  test('twenty writers of one key at once leave one current row, the latest, and a whole history', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => write([fact('home', `City${n}`, n)])));
    const rows = await stored();
    expect(rows).toHaveLength(20);
    expect(await current()).toEqual(['City19']);
    expect(rows.filter((row) => !row.current).every((row) => row.supersededBy !== null)).toBe(true);
  });

  test('twenty writers of one text at once leave one row', async () => {
    const written = await Promise.all(
      Array.from({ length: 20 }, () => write([note('The user owns a boat.')])),
    );
    expect(await stored()).toHaveLength(1);
    expect(written.flatMap(statuses).filter((status) => status === 'created')).toHaveLength(1);
  });

  test('users do not see each other', async () => {
    await write([fact('home', 'Lisbon')]);
    const other = randomUUID();
    expect(statuses(await write([fact('home', 'Lisbon')], { user: other }))).toEqual(['created']);
    expect(await current(other)).toEqual(['Lisbon']);
  });

  test.each([
    ['fact', fact('home', 'Lisbon', 1)],
    ['note', note('The user owns a boat.', 1)],
    ['question', qa('Which tea?', 'Oolong.', 1)],
  ])('a %s that has expired and is said again is stored anew', async (_name, candidate) => {
    const [expired] = await write([candidate], { now: at(1), extra: { expiresAt: at(5) } });
    const [again] = await write([{ ...candidate, statedAt: at(10) }], { now: at(10) });
    expect(again?.status).toBe('created');
    expect(again?.id).not.toBe(expired?.id);
    expect(await stored()).toMatchObject([
      { id: expired?.id, current: false, validTo: at(5) },
      { id: again?.id, current: true },
    ]);
  });

  test.each([
    ['fact', fact('home', 'Lisbon', 1)],
    ['note', note('The user owns a boat.', 1)],
  ])(
    'a %s that begins later is ended by the same said of now, and not by itself sent again',
    async (_name, candidate) => {
      const planned = { ...candidate, validFrom: at(60) };
      const [plan] = await write([planned], { now: at(1) });
      expect(statuses(await write([planned], { now: at(2) }))).toEqual(['unchanged']);
      const [now] = await write([{ ...candidate, statedAt: at(10) }], { now: at(10) });
      expect(now?.status).toBe('created');
      expect(await stored()).toMatchObject([
        { id: plan?.id, current: false, validTo: at(60) },
        { id: now?.id, current: true },
      ]);
    },
  );

  test('what takes the place of a fact that holds does so at once, also when it was to begin later', async () => {
    await write([fact('home', 'Lisbon', 1)], { now: at(1) });
    const [moved] = await write([{ ...fact('home', 'Oslo', 2), validFrom: at(60) }], { now: at(2) });
    expect(moved?.status).toBe('updated');
    const { validFrom } = await database.one<{ validFrom: Date }>(
      'select valid_from as "validFrom" from memories where id = $1::uuid',
      [moved?.id],
    );
    expect(validFrom).toEqual(at(2));
    expect(await current()).toEqual(['Oslo']);
  });

  test('what was deleted and is said again is stored anew', async () => {
    const [gone] = await write([note('The user owns a boat.')]);
    await deleteMemories(
      database,
      { tenantId: DEFAULT_TENANT_ID, userId, id: gone?.id ?? '', key: null, category: null },
      { actor: 'test', extractionId: null },
    );
    expect(statuses(await write([note('The user owns a boat.')]))).toEqual(['created']);
    expect(await current()).toEqual(['The user owns a boat.']);
  });

  test('a transaction that is rolled back leaves nothing', async () => {
    const attempt = database.transaction(async (tx) => {
      await writeMemories(tx, {
        tenantId: DEFAULT_TENANT_ID,
        userId,
        memories: [{ candidate: note('The user owns a boat.') }],
        actor: { actor: 'test', extractionId: null },
        wantsEmbedding: false,
        newId: randomUUID,
        now: at(0),
      });
      throw new Error('changed its mind');
    });
    await expect(attempt).rejects.toThrow('changed its mind');
    expect(await stored()).toEqual([]);
  });
});
