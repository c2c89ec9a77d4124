import type { AfterApply } from '@factmill/database';
import type { Preset } from '@factmill/extraction';

/** What a preset wants to follow in the transaction that applies an extraction; null when that is nothing. */
export function wantedAfter(preset: Preset): AfterApply | null {
  const { maxEntries, userSummary, conversationSummary } = preset;
  if (maxEntries === 0 && userSummary === 'none' && !conversationSummary) return null;
  return { maxEntries, userSummary: userSummary === 'none' ? null : userSummary, conversationSummary };
}
