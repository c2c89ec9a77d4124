export { candidateOfInput, contentOfFields } from './candidate-of-input.ts';
export { changeMemory, unlessTaken } from './change-memory.ts';
export { applyReplay, undoReplay } from './change-by-replay.ts';
export { SERVED_MEMORIES } from './memory-store.ts';
export { findFresh, NOTHING, planWrites } from './plan-writes.ts';
export type {
  CompareBySimilarity,
  MemoryToWrite,
  Reconciliation,
  WriteRequest,
  Written,
} from './write-request.ts';
export { importMemories } from './import-memories.ts';
export { readCompression, startCompression } from './compression-by-hand.ts';
export { loadCurrentState, loadCurrentMemories, writeMemories } from './write-memories.ts';
