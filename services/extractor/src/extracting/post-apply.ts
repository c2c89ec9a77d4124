import type { Config } from '@factmill/config';
import type { PostApply } from '@factmill/database';
import type { Preset } from '@factmill/extraction';

/** Settings that stand in place of those of the preset. */
export type KeptEntries = Pick<Config['extractor'], 'maxEntries' | 'summaries'>;

/** What a preset adds to the transaction that applies an extraction; null for nothing. */
export function postApplyOf(preset: Preset, settings: KeptEntries): PostApply | null {
  const { userSummary } = preset;
  const maxEntries = settings.maxEntries ?? preset.maxEntries;
  const conversationSummary = settings.summaries ?? preset.conversationSummary;
  if (maxEntries === 0 && userSummary === 'none' && !conversationSummary) return null;
  return { maxEntries, userSummary: userSummary === 'none' ? null : userSummary, conversationSummary };
}
