import type { CandidateKind } from '../types.ts';

/** A current memory as compression sees it. */
export type Compressible = Readonly<{
  id: string;
  kind: CandidateKind;
  tier: number;
  category: string;
  key: string | null;
  content: string;
  /** Hex; shows whether the content has changed. */
  contentHash: string;
  project: string | null;
  topic: string | null;
  /** 0..1 */
  importance: number;
  statedAt: Date;
  /** Last change. */
  updatedAt: Date;
}>;
