import { chatMemoryKey, type ChatUpstreamConfig, OF_PRESET } from '@factmill/config';
import type { Preset } from '@factmill/extraction';

/**
 * Whether chats of an upstream have memory where the request does not ask for it (A13): as an operator set it at run
 * time (A22), else as configured, else as the preset has it.
 */
export function isMemoryOn(
  { name, memory }: Pick<ChatUpstreamConfig, 'name' | 'memory'>,
  { injection }: Preset,
  settings: Readonly<Record<string, unknown>>,
): boolean {
  const changed = settings[chatMemoryKey(name)];
  if (changed === OF_PRESET) return injection.byDefault;
  return typeof changed === 'boolean' ? changed : (memory ?? injection.byDefault);
}
