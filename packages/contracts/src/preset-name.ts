import { z } from 'zod';

export const presetNameSchema = z.enum([
  'standard',
  'facts-and-context',
  'single-fact',
  'tiered',
  'categorised',
  'reconciled',
]);
export type PresetName = z.infer<typeof presetNameSchema>;
