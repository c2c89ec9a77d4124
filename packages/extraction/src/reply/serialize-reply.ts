import type { RawCandidate } from '../types.ts';

/** One item in the reply format's full form; absent fields are left out. */
type ReplyItem = {
  kind: RawCandidate['kind'];
  category?: string;
  key?: string;
  value?: string;
  content?: string;
  q?: string;
  a?: string;
  source?: string;
  source_context?: string;
  confidence?: string;
  importance?: string;
  tier?: string;
  tags?: string[];
  message_ids?: string[];
  valid_from?: string;
  project?: string;
  topic?: string;
};

/** Writes items as a reply that `parseReply` reads back to the same items. */
export function serializeReply(candidates: readonly RawCandidate[]): string {
  const facts = candidates.map((candidate): ReplyItem => {
    const fields: [keyof ReplyItem, string | string[] | null][] = [
      ['category', candidate.category],
      ['key', candidate.key],
      ['value', candidate.value],
      ['content', candidate.content],
      ['q', candidate.question],
      ['a', candidate.answer],
      ['source', candidate.source],
      ['source_context', candidate.sourceContext],
      ['confidence', candidate.confidence],
      ['importance', candidate.importance],
      ['tier', candidate.tier],
      ['tags', candidate.tags],
      ['message_ids', candidate.messageIds],
      ['valid_from', candidate.validFrom],
      ['project', candidate.project],
      ['topic', candidate.topic],
    ];
    const present = fields.filter(([, value]) => value !== null && value.length > 0);
    return { kind: candidate.kind, ...Object.fromEntries(present) };
  });
  return JSON.stringify({ facts, context: [] });
}
