import type { PostApply } from '@factmill/database';
import type { Preset } from '@factmill/extraction';

/** What a preset adds to the transaction that applies an extraction; null for nothing. */
export function postApplyOf(preset: Preset): PostApply | null {
  const { maxEntries, userSummary, conversationSummary } = preset;
  if (maxEntries === 0 && userSummary === 'none' && !conversationSummary) return null;
  return { maxEntries, userSummary: userSummary === 'none' ? null : userSummary, conversationSummary };
}
