import {
  GLOBAL_SCOPE,
  memoryInputSchema,
  type MemoryInput,
  memoryKindSchema,
  type MemoryPatch,
  patchMemorySchema,
} from '@factmill/contracts';
import { toMemory, type VersionedMemory } from '@factmill/database';
import { isAppError } from '@factmill/errors';
import { validate } from '@factmill/http';
import { isDeepStrictEqual } from 'node:util';
import type { FileFields, FileProblem } from './file-fields.ts';
import { trimmedBody } from './file-fields.ts';
import type { Place } from './layout.ts';

/** The role of memories in the layout; turns and summaries are not read from files. */
export const ROLE = 'memory';

/** A new file as a memory of the REST API, with the same rules. */
export function toInput(fields: FileFields, place: Place): MemoryInput | FileProblem {
  const { text, numbers } = fields;
  const misplaced = placeProblem(fields, place.userId);
  if (misplaced !== null) return misplaced;
  const kind = memoryKindSchema.safeParse(text.kind ?? (text.key === undefined ? 'note' : 'fact'));
  if (!kind.success) return { problem: 'kind: must be fact, qa, note or event' };
  const body = fields.body === '' ? undefined : fields.body;
  const input = {
    ...formOf(text, body),
    scope: text.conversation_id ?? place.scope,
    category: text.category,
    tags: fields.tags,
    project: text.project,
    topic: text.topic,
    tier: numbers.tier,
    importance: numbers.importance,
    confidence: numbers.confidence,
    source: text.source,
    source_context: text.source_context,
    expires_at: text.expires_at,
    valid_from: text.valid_from,
    metadata: fields.metadata,
  };
  return checked(() => validate(memoryInputSchema, withoutUndefined(input)));
}

/** Key and value, question and answer, or a text. The text below stands for a value or an answer that is missing. */
function formOf({ key, value, question, answer }: FileFields['text'], body: string | undefined) {
  if (key !== undefined) return value === undefined ? { key, value: body } : { key, value, content: body };
  if (question !== undefined) {
    return answer === undefined ? { question, answer: body } : { question, answer, content: body };
  }
  return { content: body };
}

/**
 * What a file changes of its memory; null for nothing. A field that is missing changes nothing, except that missing
 * tags, project, topic, expires_at and metadata are taken away.
 */
export function toPatch(fields: FileFields, row: VersionedMemory): MemoryPatch | FileProblem | null {
  const memory = toMemory(row);
  const { text, numbers } = fields;
  const misplaced = placeProblem(fields, row.userId) ?? identityProblem(fields, row);
  if (misplaced !== null) return misplaced;
  if (fields.body === '')
    return { problem: 'the text of the memory is missing; delete the file to delete it' };
  const instant = (value: string | null | undefined) => (value == null ? null : Date.parse(value));
  const different = {
    ...(sameText(fields.body, memory.content) ? {} : { content: fields.body }),
    ...ifChanged('value', text.value, memory.value, sameText),
    ...ifChanged('question', text.question, memory.question, sameText),
    ...ifChanged('answer', text.answer, memory.answer, sameText),
    ...ifChanged('category', text.category, memory.category),
    ...ifChanged('tags', fields.tags ?? [], memory.tags),
    ...ifChanged('project', text.project ?? null, memory.project),
    ...ifChanged('topic', text.topic ?? null, memory.topic),
    ...ifChanged('tier', numbers.tier, memory.tier),
    ...ifChanged('importance', numbers.importance, memory.importance),
    ...ifChanged('confidence', numbers.confidence, memory.confidence),
    ...ifChanged('source', text.source, memory.source),
    ...ifChanged('source_context', text.source_context, memory.source_context),
    ...(instant(text.expires_at) === instant(memory.expires_at)
      ? {}
      : { expires_at: text.expires_at ?? null }),
    ...(text.valid_from === undefined || instant(text.valid_from) === instant(memory.valid_from)
      ? {}
      : { valid_from: text.valid_from }),
    ...ifChanged('metadata', fields.metadata ?? {}, memory.metadata),
  };
  if (Object.keys(different).length === 0) return null;
  return checked(() => validate(patchMemorySchema, different));
}

function ifChanged(
  field: string,
  given: unknown,
  current: unknown,
  isSame: (left: never, right: never) => boolean = isDeepStrictEqual,
): Record<string, unknown> {
  if (given === undefined || isSame(given as never, current as never)) return {};
  return { [field]: given };
}

/** Editors add and remove line ends; they are no change. */
function sameText(left: string, right: string | null): boolean {
  return trimmedBody(left) === trimmedBody(right ?? '');
}

/** What a file says about where it belongs has to agree with where it is. */
function placeProblem({ text }: FileFields, userId: string): FileProblem | null {
  if (text.role !== undefined && text.role !== ROLE) {
    return { problem: `role: must be ${ROLE}; turns and summaries are not read from files` };
  }
  if (text.user_id !== undefined && text.user_id !== userId) {
    return { problem: 'user_id: is not the user of this folder' };
  }
  return null;
}

/** What tells memories apart does not change: another key is another memory. */
function identityProblem({ text }: FileFields, row: VersionedMemory): FileProblem | null {
  const scope = row.conversationId === '' ? GLOBAL_SCOPE : row.conversationId;
  const changed = [
    ...(text.kind !== undefined && text.kind !== row.kind ? ['kind'] : []),
    ...((text.key ?? null) === row.key ? [] : ['key']),
    ...(text.conversation_id !== undefined && text.conversation_id !== scope ? ['conversation_id'] : []),
  ];
  if (changed.length === 0) return null;
  return { problem: `${changed[0]}: cannot change; write a new file for another memory` };
}

function withoutUndefined(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}

function checked<T>(check: () => T): T | FileProblem {
  try {
    return check();
  } catch (error) {
    if (isAppError(error) && error.kind === 'invalid') return { problem: error.message };
    throw error;
  }
}
