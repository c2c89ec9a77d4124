import type { DatabasePool } from '@factmill/database';
import { AppError } from '@factmill/errors';
import { createLogger } from '@factmill/telemetry';
import { waitFor } from '@factmill/testkit';
import { expect, test } from '@jest/globals';
import { createReadDatabase } from './read-database.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const failed = (code: string) =>
  new AppError('database_unavailable', 'gone', { cause: Object.assign(new Error('gone'), { code }) });

/** A pool that answers each statement with its name; `answers` has errors to throw instead, and positions. */
function fakePool(name: string, answers: Readonly<Record<string, unknown>> = {}) {
  const asked: string[] = [];
  const one = (text: string, _values?: unknown, options: { name?: string } = {}): Promise<unknown> => {
    const statement = options.name ?? text;
    asked.push(statement);
    const answer = answers[statement] ?? name;
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const pool = { one, as: () => pool } as unknown as DatabasePool;
  return { pool, asked };
}

function open(replicaAnswers: Readonly<Record<string, unknown>>) {
  const primary = fakePool('primary', { primary_position: { position: '0/1', system: '7' } });
  const replica = fakePool('replica', replicaAnswers);
  const reading = createReadDatabase({ primary: primary.pool, replica: replica.pool, logger });
  return { primary, replica, ...reading };
}

const CURRENT = { isReplica: true, hasAll: true, system: '7' };

test('a statement that the replica fails is answered by the primary, like all that follow', async () => {
  const { pick, close } = open({ replica_position: CURRENT, second: failed('40001') });
  const ask = async (statements: readonly string[]) => {
    const sql = await pick();
    const answers: unknown[] = [];
    for (const statement of statements) answers.push(await sql.one(statement));
    return answers;
  };
  await waitFor(async () => (await ask(['first']))[0] === 'replica', { describe: 'the replica to be used' });
  expect(await ask(['first', 'second', 'first'])).toEqual(['replica', 'primary', 'primary']);
  expect(await ask(['first'])).toEqual(['replica']);
  await close();
});

test('a statement that is wrong, or was ended by its limit, is not asked again', async () => {
  const { pick, primary, close } = open({
    replica_position: CURRENT,
    wrong: failed('42P01'),
    slow: failed('57014'),
  });
  await waitFor(async () => (await (await pick()).one('first')) === 'replica', { describe: 'the replica' });
  const sql = await pick();
  await expect(sql.one('wrong')).rejects.toMatchObject({ cause: { code: '42P01' } });
  await expect(sql.one('slow')).rejects.toMatchObject({ cause: { code: '57014' } });
  expect(
    primary.asked.filter((statement) => statement !== 'primary_position' && statement !== 'first'),
  ).toEqual([]);
  await close();
});

test.each([
  ['behind', { ...CURRENT, hasAll: false }],
  ['not a replica', { ...CURRENT, isReplica: false, hasAll: null }],
  ['of another server', { ...CURRENT, system: '8' }],
  ['away', failed('ECONNREFUSED')],
])('nothing is read from a replica that is %s', async (_how, answer) => {
  const { pick, replica, close } = open({ replica_position: answer });
  await waitFor(() => replica.asked.length > 0, { describe: 'the replica to be looked at' });
  expect(await (await pick()).one('first')).toBe('primary');
  expect(replica.asked).not.toContain('first');
  await close();
});

test('searches that come while the replica is asked share the next question', async () => {
  const { pick, primary, close } = open({ replica_position: CURRENT });
  await waitFor(async () => (await (await pick()).one('first')) === 'replica', { describe: 'the replica' });
  const before = primary.asked.length;
  await Promise.all(Array.from({ length: 50 }, pick));
  expect(primary.asked.length - before).toBeLessThanOrEqual(2);
  await close();
});
