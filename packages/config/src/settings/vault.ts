import { z } from 'zod';
import { positiveInt } from './values.ts';

export const vault = {
  VAULT_DIR: z.string().min(1).max(4_096).optional().meta({
    description:
      'Folder in which an extractor keeps one Markdown file per memory and follows its changes; docs/vault.md describes it.',
    unset: 'no vault',
  }),
  VAULT_TENANT: z
    .string()
    .min(1)
    .max(128)
    .default('default')
    .meta({ description: 'The tenant whose memories are in the vault, by name.' }),
  VAULT_MAX_FILES: positiveInt.max(200_000).default(50_000).meta({
    description: 'Most files in the vault. Further memories get no file, and further files are not read.',
  }),
  VAULT_SCAN_S: positiveInt.max(3_600).default(60).meta({
    description:
      'Seconds between two scans for changes that the file system did not tell of, as on network drives. A scan of many files makes it longer.',
  }),
};
