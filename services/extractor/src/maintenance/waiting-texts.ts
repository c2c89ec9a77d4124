import {
  giveUpChunks,
  giveUpTurnParts,
  releaseChunks,
  releaseTurnParts,
  saveChunkEmbeddings,
  saveTurnPartEmbeddings,
  takePendingChunks,
  takePendingTurnParts,
} from '@factmill/database';
import type { WaitingTexts } from './embed-taken.ts';

/** Chunks of documents. */
export const WAITING_CHUNKS: WaitingTexts = {
  name: 'chunks',
  take: takePendingChunks,
  release: releaseChunks,
  giveUp: giveUpChunks,
  save: saveChunkEmbeddings,
};

/** Parts of stored turns. */
export const WAITING_TURNS: WaitingTexts = {
  name: 'turns',
  take: takePendingTurnParts,
  release: releaseTurnParts,
  giveUp: giveUpTurnParts,
  save: saveTurnPartEmbeddings,
};
