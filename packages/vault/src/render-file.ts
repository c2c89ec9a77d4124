import { toMemory, type VersionedMemory } from '@factmill/database';
import { isDeepStrictEqual } from 'node:util';
import { Document } from 'yaml';
import type { ParsedFile } from './file-fields.ts';
import { ROLE } from './to-memory.ts';

/**
 * The file of a memory. With the file as it is now, its comments, its order and the fields that Factmill does not know
 * stay.
 */
export function renderFile(row: VersionedMemory, current: ParsedFile | null): string {
  const document = current?.document?.clone() ?? new Document({});
  for (const [field, value] of Object.entries(frontMatterOf(row))) {
    if (value === null) document.delete(field);
    else if (!isDeepStrictEqual(plain(document, field), value))
      document.set(field, document.createNode(value));
  }
  return `---\n${document.toString({ lineWidth: 0 })}---\n\n${row.content}\n`;
}

function plain(document: Document.Parsed | Document, field: string): unknown {
  return (document.toJS() as Record<string, unknown> | null)?.[field];
}

/** Field → value in the order of a new file; null for none. */
function frontMatterOf(row: VersionedMemory): Record<string, unknown> {
  const memory = toMemory(row);
  return {
    id: memory.id,
    user_id: memory.user_id,
    conversation_id: memory.scope,
    role: ROLE,
    kind: memory.kind,
    tier: memory.tier,
    category: memory.category,
    key: memory.key,
    value: memory.value,
    question: memory.question,
    answer: memory.answer,
    tags: memory.tags.length === 0 ? null : memory.tags,
    project: memory.project,
    topic: memory.topic,
    importance: memory.importance,
    confidence: memory.confidence,
    source: memory.source,
    source_context: memory.source_context,
    valid_from: memory.valid_from,
    expires_at: memory.expires_at,
    created_at: memory.created_at,
    updated_at: memory.updated_at,
    version: row.version,
    metadata: Object.keys(memory.metadata).length === 0 ? null : memory.metadata,
  };
}
