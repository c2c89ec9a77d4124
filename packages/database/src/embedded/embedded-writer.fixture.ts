// A process for tests: serves a data folder, writes numbered rows one transaction each, and prints the number of
// every row after it is committed, until it is killed. Usage: embedded-writer.fixture.ts <data folder>
import { writeSync } from 'node:fs';
import { createPool } from '../pool/create-pool.ts';
import { startEmbedded } from './start-embedded.ts';

const logger = { info: () => undefined, warn: () => undefined };
const embedded = await startEmbedded({ dataDir: process.argv[2] ?? '', logger });
const pool = createPool({
  connectionString: embedded.connectionString,
  max: 1,
  applicationName: 'writer',
  logger,
});
await pool.query('create table if not exists rows (n integer primary key, filler text)');
const { last } = await pool.one<{ last: number }>('select coalesce(max(n), 0) as last from rows');
for (let n = last + 1; ; n += 1) {
  await pool.query(`insert into rows values ($1::integer, repeat('x', 500))`, [n]);
  writeSync(1, `committed ${n}\n`);
}
