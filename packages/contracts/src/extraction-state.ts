import { z } from 'zod';

/** pending → active → done · failed · dropped · skipped; a replay starts again at pending. */
export const extractionStateSchema = z.enum(['pending', 'active', 'done', 'failed', 'dropped', 'skipped']);
export type ExtractionState = z.infer<typeof extractionStateSchema>;
