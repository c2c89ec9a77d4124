import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import type { Pool } from 'pg';
import type { Service } from './start-service.ts';

/** Processor time, in milliseconds, of the services and all of Postgres so far. Linux only. */
export type ProcessorTime = () => number;

/** Processor time of our own processes does not depend on the load of the machine; elapsed time does. */
export async function createProcessorTime(
  services: readonly Pick<Service, 'pid'>[],
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

/** Starts to watch all processors; the result says which share of their time was used since then. */
export function createBusyShare(): () => number {
  const read = () => {
    const times = cpus().map((cpu) => cpu.times);
    const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
    return {
      idle: sumOf(times.map(({ idle }) => idle)),
      all: sumOf(times.flatMap((of) => Object.values(of))),
    };
  };
  const before = read();
  return () => {
    const now = read();
    return 1 - (now.idle - before.idle) / (now.all - before.all);
  };
}

/** Of one process with all its threads; 0 when it has ended. */
export function processorTimeOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + timeOfThread(pid, thread), 0);
  } catch {
    // The process has ended meanwhile.
    return 0;
  }
}

/** Of the threads of one process that run now, by name, of which the kernel keeps 15 characters. */
export function processorTimeByThread(pid: number): Readonly<Record<string, number>> {
  const times: Record<string, number> = {};
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const name = readFileSync(`/proc/${pid}/task/${thread}/comm`, 'utf8').trim();
    times[name] = (times[name] ?? 0) + timeOfThread(pid, thread);
  }
  return times;
}

function timeOfThread(pid: number, thread: string): number {
  return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}
