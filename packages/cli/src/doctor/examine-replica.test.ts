import { expect, test } from '@jest/globals';
import { replicaFinding } from './examine-replica.ts';

const primary = { system: '1', position: '1000' };
const replica = { system: '1', position: '1000', isReplica: true, behindSeconds: 600 };

test.each([
  ['has everything, however long nothing was written', {}, 'ok'],
  ['has more than was asked about', { position: '1001' }, 'ok'],
  ['has applied no commit yet', { position: '999', behindSeconds: null }, 'warning'],
  ['lags', { position: '999', behindSeconds: 10 }, 'warning'],
  ['follows another server', { system: '2' }, 'failed'],
  ['is none', { isReplica: false }, 'failed'],
])('a replica that %s', (_name, changes, state) => {
  expect(replicaFinding(primary, { ...replica, ...changes })).toMatchObject({ part: 'replica', state });
});
