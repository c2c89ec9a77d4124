import { type Claim, type findRelevantMemories, type Sql, type StatedMemory } from '@factmill/database';
import {
  distinguishingWords,
  type Preset,
  stripInjectedPostfixes,
  type TranscriptMessage,
} from '@factmill/extraction';
import type { Logger } from '@factmill/telemetry';
import { type EmbedTexts, embedOrLater } from '../providers/embed-texts.ts';

/** The latest user messages are compared with the memories, the beginning of each. */
const MAX_PIECES = 8;
const MAX_PIECE_CHARACTERS = 1_000;
/** Maximum of names and numbers to search for in memories. */
const MAX_NAMES = 8;

/**
 * The known memories for a prompt, most relevant first (B2): found by vector and by the names in the conversation,
 * never one of another conversation. Without an embedding model, or while it is down, the most recently stated ones.
 *
 * @throws AppError `database_unavailable`, or the reason of `signal`
 */
export function createKnownContext(deps: {
  database: Sql;
  /** Where the memories are. */
  findRelevant: typeof findRelevantMemories;
  embedTexts: EmbedTexts | null;
  logger: Logger;
}) {
  return async function loadKnown(
    claim: Claim,
    conversation: Readonly<{
      messages: readonly TranscriptMessage[];
      preset: Preset;
      /** The user's memories that the conversation may see, last stated first, and whether these are all. */
      recent: readonly StatedMemory[];
      isAll: boolean;
    }>,
    signal: AbortSignal,
  ): Promise<readonly StatedMemory[]> {
    const { recent, preset } = conversation;
    const limit = preset.knownMemoryLimit;
    if (limit === 0 || recent.length === 0) return [];
    if (conversation.isAll && recent.length <= limit) return recent;
    const pieces = conversation.messages
      .filter((message) => message.role === 'user')
      .map((message) => stripInjectedPostfixes(message.content).trim().slice(0, MAX_PIECE_CHARACTERS))
      .filter((text) => text !== '')
      .slice(-MAX_PIECES);
    const vectors =
      deps.embedTexts === null
        ? null
        : await embedOrLater(deps.embedTexts, pieces, signal, deps.logger, { payers: [claim] });
    return deps.findRelevant(deps.database, {
      tenantId: claim.tenantId,
      userId: claim.userId,
      conversationId: claim.conversationId,
      extractionId: claim.id,
      model: vectors?.model ?? null,
      vectors: vectors === null ? [] : [...vectors.byText.values()],
      names: namesIn(pieces),
      limit,
    });
  };
}

/** Names, numbers and dates, those of the latest messages first. */
function namesIn(pieces: readonly string[]): string[] {
  const names = new Set<string>();
  for (const piece of pieces.toReversed()) {
    for (const word of distinguishingWords(piece)) {
      const name = word.replace(/^[#@]/, '');
      if (!word.startsWith('!') && name.length >= 3) names.add(name);
    }
  }
  return [...names].slice(0, MAX_NAMES);
}
