import type { Vectors } from '@factmill/contracts';
import { print } from './with-database.ts';

const TEXTS_PER_BATCH = 64;
const CHARACTERS_PER_TOKEN = 4;

/** What a build of a model's vectors would do. `dimensions` null: not known here. */
export function printCounts(counts: Omit<Vectors, 'building'>, dimensions: number | null): void {
  const missing = counts.memories_to_embed + counts.document_parts_to_embed;
  const size = dimensions === null ? '' : `, ${dimensions} dimensions`;
  print(`Model in use: ${counts.in_use ?? 'none yet'}`);
  print(`Configured:   ${counts.model ?? 'none yet'}${size}`);
  print(`Memories:     ${counts.memories_to_embed} of ${counts.memories} to embed`);
  print(`Documents:    ${counts.document_parts_to_embed} of ${counts.document_parts} parts to embed`);
  print(`Batches:      ${Math.ceil(missing / TEXTS_PER_BATCH)} of up to ${TEXTS_PER_BATCH} texts`);
  print(`Tokens:       about ${Math.ceil(counts.characters_to_embed / CHARACTERS_PER_TOKEN)}`);
  print('Nothing was changed.');
}
