import type { ContextPlace, ContextRequest, Policy } from '@factmill/contracts';
import type { Preset } from '@factmill/extraction';
import type { ContextFormat } from '@factmill/ranking';
import type { MemoryNumbers } from '@factmill/search';

/** How a context is made: what the request says, else the conversation's policy, the settings, the preset. */
export type ContextSettings = Readonly<{
  preset: Preset;
  numbers: MemoryNumbers;
  format: ContextFormat;
  place: ContextPlace;
  profilePlace: 'system' | 'beside';
  limit: number;
  gate: boolean;
  expandsQuery: boolean;
  takesAllUpTo: number;
  fallbackRecent: number;
  tiers: number[];
  /** Undefined: as a search does by default. */
  turns: boolean | undefined;
  /** Whether a rolling summary of the conversation goes into `augmented`. */
  conversationSummary: boolean;
}>;

/** A section takes all memories of a user with few, and the latest ones when nothing is found (source B). */
const OF_SECTION = { expandsQuery: true, takesAllUpTo: 5, fallbackRecent: 10 };
const OF_OTHERS = { expandsQuery: false, takesAllUpTo: 0, fallbackRecent: 0 };

export function contextSettingsOf(
  request: ContextRequest,
  preset: Preset,
  policy: Policy,
  numbers: MemoryNumbers,
): ContextSettings {
  const { retrieval } = preset;
  const common = {
    preset,
    numbers,
    limit: request.limit ?? numbers.topK ?? preset.injection.limit,
    gate: request.gate ?? retrieval.gate,
    tiers: retrieval.tiers === 'knowledge' ? [2] : [2, 3],
    turns: request.include_turns ?? turnsOf(request, preset),
    conversationSummary: policy.summaries !== false,
  };
  if (request.format === 'preset') {
    const { format, place, profile: profilePlace } = preset.injection;
    const { expandsQuery, takesAllUpTo, fallbackRecent } = retrieval;
    return { ...common, format, place, profilePlace, expandsQuery, takesAllUpTo, fallbackRecent };
  }
  const format = request.format === 'messages' ? 'section' : request.format;
  const own = format === 'section' ? OF_SECTION : OF_OTHERS;
  return { ...common, ...own, format, place: 'system', profilePlace: 'beside' };
}

/** Where conversations keep what they know to themselves, their turns compete too. */
function turnsOf(request: ContextRequest, { retrieval, memoryScope }: Preset): boolean | undefined {
  if (retrieval.turns === 'never') return false;
  return memoryScope === 'conversation' && request.conversation_id !== undefined ? true : undefined;
}
