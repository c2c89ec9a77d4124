export { candidateOfInput, contentOfFields, expiryOf } from './candidate-of-input.ts';
export { findFresh, NOTHING, planWrites, subjectHash } from './plan-writes.ts';
export type {
  CompareBySimilarity,
  MemoryToWrite,
  Reconciliation,
  Standing,
  WritePlan,
  WriteRequest,
  Written,
} from './plan-writes.ts';
export {
  findStanding,
  loadCurrentMemories,
  loadNeighbours,
  NEIGHBOUR_LIMIT,
  writeMemories,
} from './write-memories.ts';
