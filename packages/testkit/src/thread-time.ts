import { readdirSync, readFileSync } from 'node:fs';

/** Processor time of a thread so far, in milliseconds. Linux only: `/proc/<pid>/task/<tid>/schedstat`. */
export function createThreadTime(pid: number, threadName: string): () => number {
  const tasks = `/proc/${pid}/task`;
  // The kernel keeps 15 characters of a name.
  const id = readdirSync(tasks).find(
    (task) => readFileSync(`${tasks}/${task}/comm`, 'utf8').trim() === threadName.slice(0, 15),
  );
  if (id === undefined) throw new Error(`process ${pid} has no thread ${threadName}`);
  return () => Number(readFileSync(`${tasks}/${id}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}
