export { candidateOfInput, contentOfFields, expiryOf } from './candidate-of-input.ts';
export { planWrites, subjectHash } from './plan-writes.ts';
export type { MemoryToWrite, WritePlan, WriteRequest, Written } from './plan-writes.ts';
export { writeMemories } from './write-memories.ts';
