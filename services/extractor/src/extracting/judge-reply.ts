import type { ModelOutput } from '@factmill/database';
import { parseReply, type Preset } from '@factmill/extraction';

/**
 * Whether a reply is usable in the preset's format.
 * - `usable`: completely, or its complete items
 * - `truncated`: it hit the output limit before any item was complete
 * - `refused`: the model declines
 * - `unreadable`: neither items nor the statement that there are none
 */
export function judgeReply(
  output: Pick<ModelOutput, 'raw' | 'finishReason'>,
  preset: Pick<Preset, 'reply'>,
): 'usable' | 'truncated' | 'refused' | 'unreadable' {
  const { status, candidates } = parseReply(output.raw, { allowLine: preset.reply === 'line' });
  // A line that ends at the output limit is incomplete.
  if (preset.reply === 'line' && output.finishReason === 'length') return 'truncated';
  if (status === 'ok' || status === 'empty' || (status === 'truncated' && candidates.length > 0))
    return 'usable';
  if (status === 'refusal') return 'refused';
  return status === 'truncated' && output.finishReason === 'length' ? 'truncated' : 'unreadable';
}
