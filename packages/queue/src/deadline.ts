/**
 * The result of `work` if it comes within `ms`, else a rejection with `onTimeout()`. The work itself goes on: what
 * it does late, its errors included, is ignored.
 */
export function withDeadline<T>(work: Promise<T>, ms: number, onTimeout: () => Error): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(onTimeout()), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Whether `work` ends, well or badly, within `ms`. Never rejects. */
export function settlesWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    const settled = () => {
      clearTimeout(timer);
      resolve(true);
    };
    work.then(settled, settled);
  });
}
