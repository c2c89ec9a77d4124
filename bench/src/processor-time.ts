import { readdirSync, readFileSync } from 'node:fs';
import type { Pool } from 'pg';
import type { Service } from './start-service.ts';

/** Processor time, in milliseconds, of the services and all of Postgres so far. Linux only. */
export type ProcessorTime = () => number;

/** Processor time of our own processes does not depend on the load of the machine; elapsed time does. */
export async function createProcessorTime(
  services: readonly Service[],
  database: Pool,
): Promise<ProcessorTime> {
  const { rows } = await database.query<{ pid: number }>('select pg_backend_pid() as pid');
  const backend = readFileSync(`/proc/${rows[0]?.pid}/stat`, 'utf8');
  const postmaster = Number(backend.slice(backend.lastIndexOf(')') + 2).split(' ')[1]);
  return () => {
    const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8');
    const pids = [...services.map(({ pid }) => pid), ...children.trim().split(' ').map(Number)];
    return pids.reduce((sum, pid) => sum + processorTimeOf(pid), 0);
  };
}

/** Of one process with all its threads; 0 when it has ended. */
export function processorTimeOf(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.reduce((sum, thread) => {
      const nanoseconds = Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
      return sum + nanoseconds / 1e6;
    }, 0);
  } catch {
    // The process has ended meanwhile.
    return 0;
  }
}
