export { candidateOfInput, contentOfFields, expiryOf } from './candidate-of-input.ts';
export { findFresh, NOTHING, planWrites } from './plan-writes.ts';
export type {
  CompareBySimilarity,
  MemoryToWrite,
  Reconciliation,
  WriteRequest,
  Written,
} from './plan-writes.ts';
export { readCompression, startCompression } from './compression-by-hand.ts';
export { loadCurrentState, loadCurrentMemories, writeMemories } from './write-memories.ts';
