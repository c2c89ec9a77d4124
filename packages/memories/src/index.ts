export { candidateOfInput, contentOfFields, expiryOf } from './candidate-of-input.ts';
export { subjectHash, writeMemories } from './write-memories.ts';
export type { MemoryToWrite, WriteRequest, Written } from './write-memories.ts';
