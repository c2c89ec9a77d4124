import { z } from 'zod';

export const exportUserQuerySchema = z.strictObject({
  format: z
    .enum(['jsonl', 'markdown'])
    .default('jsonl')
    .describe(
      '`jsonl`: everything, to be imported again. `markdown`: current memories, as files of a vault.',
    ),
});

const countsSchema = z.record(z.string(), z.int().min(0));
export const importedRowsSchema = z.object({
  imported: countsSchema.describe('Stored, by type of line.'),
  known: countsSchema.describe('There already, by type: left as they are.'),
});
export type ImportedRows = z.infer<typeof importedRowsSchema>;
