// Writes files into a folder, which it makes again when it is gone, until it is killed or orphaned. Says when it has
// begun.
import { mkdirSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2] ?? '';
const starter = process.ppid;

function write(number: number): void {
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, String(number % 1_000)), '');
  } catch {
    // It was removed in between.
  }
  if (number === 0) writeSync(1, 'begun\n');
  if (process.ppid === starter) setImmediate(write, number + 1);
}

write(0);
