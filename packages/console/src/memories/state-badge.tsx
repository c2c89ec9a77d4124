import type { Memory } from '@factmill/contracts';
import { Badge, type Tone } from '../ui/small.tsx';

const TONES: Readonly<Record<string, Tone>> = {
  current: 'ok',
  deleted: 'bad',
  expired: 'bad',
  archived: 'warn',
};

/** Whether search finds a memory, and if not, why. */
export function StateBadge({ state }: Readonly<{ state: Memory['state'] }>) {
  return <Badge tone={TONES[state] ?? 'plain'}>{state}</Badge>;
}
