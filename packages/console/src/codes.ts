import type {
  ExtractionState,
  MemoryKind,
  Permission,
  PresetName,
  SearchChannel,
  SearchMode,
} from '@factmill/contracts';

// The codes of the API that people choose from. The types make each list whole; the schemas themselves would bring a
// validator into the page that it does not need.

const keysOf = <T extends string>(codes: Readonly<Record<T, true>>) => Object.keys(codes) as T[];

export const KINDS = keysOf<MemoryKind>({ fact: true, qa: true, note: true, event: true });

export const PRESETS = keysOf<PresetName>({
  standard: true,
  'facts-and-context': true,
  'single-fact': true,
  tiered: true,
  categorised: true,
  reconciled: true,
});

export const MODES = keysOf<SearchMode>({ fused: true, enhanced: true, classic: true, vector: true });

export const CHANNELS = keysOf<SearchChannel>({
  vector: true,
  text: true,
  trigram: true,
  key: true,
  project: true,
  date: true,
  recent: true,
  turns: true,
});

export const EXTRACTION_STATES = keysOf<ExtractionState>({
  pending: true,
  active: true,
  done: true,
  failed: true,
  dropped: true,
  skipped: true,
});

export const PERMISSIONS = keysOf<Permission>({
  'memory.read': true,
  'memory.write': true,
  'memory.read_all': true,
  'queue.read': true,
  'queue.write': true,
  chat: true,
  upstream: true,
  'audit.read': true,
  admin: true,
  operator: true,
});

/** States of a memory; the first is the one that search finds. */
export const MEMORY_STATES = ['current', 'superseded', 'archived', 'deleted', 'all'] as const;
export type MemoryStateFilter = (typeof MEMORY_STATES)[number];
