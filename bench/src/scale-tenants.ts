import { generateApiKey } from '@factmill/auth';
import { DEFAULT_PERMISSIONS } from '@factmill/contracts';
import { createPool, ensureTenant, insertApiKey } from '@factmill/database';
import { v7 as uuidv7 } from 'uuid';
import { type Benchmark, grouped, inMs, type Row } from './benchmark.ts';
import { callJson } from './call-json.ts';
import { diskUse } from './disk-use.ts';
import { nextExtractionBody } from './load.ts';
import { countRows, measureEnds } from './measure-ends.ts';
import { createProcessorTime } from './processor-time.ts';
import { createStage, type Stage } from './stage.ts';

const TENANTS = [1, 10, 100] as const;
const EXTRACTIONS = 1_500;
const CLIENTS = 20;

const OF_AN_EXTRACTION = [
  'conversations',
  'messages',
  'turn_parts',
  'extractions',
  'extraction_outputs',
  'memories',
  'memory_versions',
  'events',
  'users',
];

/** The same extractions, by rules and without vectors, of one tenant and of many. */
export const scaleTenants: Benchmark = async ({ quick, profileDirectory }) => {
  const rows: Row[] = [];
  for (const tenants of TENANTS) {
    const stage = await createStage(profileDirectory);
    try {
      const keys = await createKeys(stage, tenants);
      const gateway = await stage.start('gateway');
      const count = quick ? EXTRACTIONS / 10 : EXTRACTIONS;
      const extractor = await stage.start('extractor', { EMBEDDING_PROVIDER: 'none' });
      const processorTime = await createProcessorTime([gateway, extractor], stage.database);
      const used = processorTime();
      const before = await countRows(stage, 'extractions', 'finished_at');
      let next = 0;
      const client = async () => {
        for (let turn = next++; turn < count; turn = next++) {
          const headers = {
            authorization: `Bearer ${keys[turn % tenants]}`,
            'content-type': 'application/json',
          };
          await callJson(`${gateway.url}/v1/extractions`, headers, nextExtractionBody());
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }, client));
      const rate = await measureEnds(stage, 'extractions', 'finished_at', before, count);
      rows.push({
        benchmark: 'scale',
        measure: `accepting and extracting by rules, ${tenants} tenants: extractions/s; processor time of all of it for each`,
        ours: `${grouped(rate)}; ${inMs((processorTime() - used) / count)}`,
      });
      const bytes = (await diskUse(stage, OF_AN_EXTRACTION)) / count;
      rows.push({
        benchmark: 'scale',
        measure:
          'disk of what one leaves behind: conversation, message of 200 characters, ledger, note, version, events',
        ours: `${(bytes / 1_024).toFixed(1)} kB`,
      });
    } finally {
      await stage.close();
    }
  }
  return rows;
};

async function createKeys(stage: Stage, tenants: number): Promise<string[]> {
  const pool = createPool({
    connectionString: stage.databaseUrl,
    max: 1,
    applicationName: 'factmill-bench',
    logger: { info: () => undefined, warn: () => undefined },
  });
  try {
    const keys: string[] = [];
    for (let number = 0; number < tenants; number += 1) {
      const { id, key, secretSha256 } = generateApiKey();
      await insertApiKey(pool, {
        id,
        tenantId: await ensureTenant(pool, `tenant-${number}`, uuidv7()),
        secretSha256,
        name: 'bench',
        permissions: [...DEFAULT_PERMISSIONS],
        userId: null,
        userLocked: false,
        expiresAt: null,
      });
      keys.push(key);
    }
    return keys;
  } finally {
    await pool.close();
  }
}
