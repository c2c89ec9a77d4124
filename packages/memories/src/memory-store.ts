import {
  confirmMemories,
  findCurrentMemories,
  findMatchingMemories,
  findNeighbours,
  insertMemories,
  lockUserMemories,
  type MemoryStore,
  supersedeMemories,
} from '@factmill/database';

/** The memories that searches find. */
export const SERVED_MEMORIES: MemoryStore = {
  lock: lockUserMemories,
  findMatching: findMatchingMemories,
  findNeighbours,
  findCurrent: findCurrentMemories,
  supersede: supersedeMemories,
  insert: insertMemories,
  confirm: confirmMemories,
};
