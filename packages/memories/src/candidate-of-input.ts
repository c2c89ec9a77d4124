import { DEFAULT_CATEGORY, type MemoryInput } from '@factmill/contracts';
import { type Candidate, factSentence } from '@factmill/extraction';
import type { MemoryToWrite } from './write-request.ts';

const DAY_MS = 86_400_000;

/** Confidence of a memory saved by a person or tool without a value of its own (source D). */
const CONFIDENCE_BY_SOURCE: Readonly<Record<string, number>> = {
  tool: 95,
  user: 80,
  web: 50,
  guess: 30,
  // Sources of extraction, with the confidence they have there (D14).
  tool_call: 95,
  auto_discovery: 95,
  user_explicit: 90,
  conversation: 70,
};
const DEFAULT_SOURCE = 'user';

/** A memory of the REST API as a candidate, stated now. Keys and categories stay unchanged. */
export function candidateOfInput(input: MemoryInput, now: Date): MemoryToWrite {
  const source = input.source ?? DEFAULT_SOURCE;
  const candidate: Candidate = {
    kind: input.key !== undefined ? 'fact' : input.question !== undefined ? 'qa' : 'note',
    tier: input.tier ?? 2,
    category: input.category ?? DEFAULT_CATEGORY,
    key: input.key ?? null,
    value: input.value ?? null,
    content: contentOfFields(input),
    question: input.question ?? null,
    answer: input.answer ?? null,
    tags: [...new Set(input.tags ?? [])],
    importance: input.importance ?? 0.5,
    confidence: input.confidence ?? CONFIDENCE_BY_SOURCE[source] ?? 80,
    source,
    sourceContext: input.source_context ?? null,
    messageIds: [],
    statedAt: now,
    ...(input.valid_from === undefined ? {} : { validFrom: new Date(input.valid_from) }),
  };
  return {
    candidate,
    project: input.project ?? null,
    topic: input.topic ?? null,
    expiresAt: expiryOf(input, now),
    metadata: input.metadata ?? {},
  };
}

/** When a memory expires, from either field of the request; null for never. */
export function expiryOf(
  input: Readonly<{ expires_at?: string | null | undefined; expires_in_days?: number | undefined }>,
  now: Date,
): Date | null {
  if (typeof input.expires_at === 'string') return new Date(input.expires_at);
  return input.expires_in_days === undefined
    ? null
    : new Date(now.getTime() + input.expires_in_days * DAY_MS);
}

/** The full readable text of a memory: as given, or made from key and value or question and answer. */
export function contentOfFields(
  fields: Readonly<{
    content?: string | undefined;
    key?: string | null | undefined;
    value?: string | null | undefined;
    question?: string | null | undefined;
    answer?: string | null | undefined;
  }>,
): string {
  if (fields.content !== undefined) return fields.content;
  if (fields.question != null && fields.answer != null) return `Q: ${fields.question}\nA: ${fields.answer}`;
  return factSentence(fields.key ?? '', fields.value ?? '');
}
