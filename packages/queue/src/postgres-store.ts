import type { Pool } from 'pg';
import type { JobStore } from './backend.ts';

/**
 * Uses BullMQ's `job` table directly where its own calls take a round trip per job or are not atomic: its `remove`
 * checks the lock first and deletes later, which would lose a job taken in between.
 */
export function createPostgresStore(pool: Pool, schema: string): JobStore {
  const job = `"${schema}".job`;

  return {
    removeWaiting: async (queue, jobIds) => {
      // Index: job_pkey. A row that a worker takes meanwhile is read again after its lock, and then stays.
      const { rows } = await pool.query<{ id: string }>(
        `delete from ${job} where queue = $1 and id = any($2::text[]) and state in ('waiting', 'delayed')
         returning id`,
        [queue, jobIds],
      );
      return rows.map((row) => row.id);
    },
    forgetFinished: async (queue, jobIds) => {
      // Index: job_pkey, twice.
      const { rows } = await pool.query<{ id: string }>(
        `with forgotten as (
           delete from ${job} where queue = $1 and id = any($2::text[]) and state in ('completed', 'failed')
           returning id
         )
         select wanted.id from unnest($2::text[]) as wanted (id)
         where exists (select from forgotten where forgotten.id = wanted.id)
            or not exists (select from ${job} where queue = $1 and job.id = wanted.id)`,
        [queue, jobIds],
      );
      return rows.map((row) => row.id);
    },
    oldestWaitingAt: async (queue) => {
      // Index: job_ready_idx, its first row.
      const { rows } = await pool.query<{ added_at_ms: string }>(
        `select added_at_ms from ${job} where queue = $1 and state = 'waiting' order by priority, seq limit 1`,
        [queue],
      );
      const first = rows[0];
      return first === undefined ? null : Number(first.added_at_ms);
    },
    ping: async () => {
      await pool.query('select 1');
    },
  };
}
