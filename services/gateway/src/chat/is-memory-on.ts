import { chatMemoryKey } from '@factmill/config';

/** Whether an upstream has memory on (A13): as an operator set it at run time (A22), else as configured. */
export function isMemoryOn(
  { name, memory }: Readonly<{ name: string; memory: boolean }>,
  settings: Readonly<Record<string, unknown>>,
): boolean {
  const changed = settings[chatMemoryKey(name)];
  return typeof changed === 'boolean' ? changed : memory;
}
