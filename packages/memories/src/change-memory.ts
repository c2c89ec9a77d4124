import type { MemoryPatch } from '@factmill/contracts';
import {
  type Actor,
  findMemory,
  lockUserMemories,
  type MemoryChanges,
  type MemoryRow,
  type Sql,
  updateMemory,
  violatedConstraint,
} from '@factmill/database';
import { AppError } from '@factmill/errors';
import { contentHash } from '@factmill/extraction';
import { contentOfFields, expiryOf } from './candidate-of-input.ts';

type Target = Readonly<{ tenantId: string; userId: string | null; id: string }>;

/**
 * Changes fields of one memory under the lock of its user, with a version. Runs inside the caller's transaction.
 * Resolves to undefined when there is no such memory.
 *
 * @throws AppError `invalid_request` when a field does not fit the kind of memory; `memory_conflict` when it is not
 *   current any more. Run the transaction within `unlessTaken`.
 */
export async function changeMemory(
  tx: Sql,
  target: Target,
  change: Readonly<{ patch: Omit<MemoryPatch, 'user_id'>; actor: Actor; now: Date }>,
): Promise<MemoryRow | undefined> {
  const current = await findMemory(tx, target);
  if (current === undefined) return undefined;
  await lockUserMemories(tx, target.tenantId, current.userId);
  const locked = await findMemory(tx, target);
  if (locked === undefined) return undefined;
  const changes = toChanges(change.patch, locked, change.now);
  const updated = await updateMemory(tx, target, changes, change.actor);
  if (updated === undefined) {
    throw new AppError(
      'memory_conflict',
      'This memory is not current any more; restore it before changing it.',
    );
  }
  return updated;
}

/** Runs a change; a unique violation (another current memory has the same key or text) becomes a conflict. */
export async function unlessTaken<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (violatedConstraint(error)?.startsWith('memories_') === true) {
      throw new AppError('memory_conflict', 'Another current memory already has this key, question or text.');
    }
    throw error;
  }
}

/** @throws AppError `invalid_request` when a field does not fit the kind of memory */
function toChanges(patch: Omit<MemoryPatch, 'user_id'>, current: MemoryRow, now: Date): MemoryChanges {
  const { content, value, question, answer, expires_at, expires_in_days, valid_from, ...plain } = patch;
  if (value !== undefined && current.key === null) throw misfit('value', 'belongs to memories with a key');
  if ((question !== undefined || answer !== undefined) && current.kind !== 'qa') {
    throw misfit(question === undefined ? 'answer' : 'question', 'belongs to question and answer memories');
  }
  const rewritten =
    content !== undefined || value !== undefined || question !== undefined || answer !== undefined;
  const text = contentOfFields({
    content,
    key: current.key,
    value: value ?? current.value,
    question: question ?? current.question,
    answer: answer ?? current.answer,
  });
  const given = Object.fromEntries(Object.entries(plain).filter(([, field]) => field !== undefined));
  return {
    ...given,
    ...(value === undefined ? {} : { value }),
    ...(question === undefined ? {} : { question, subject_hash: contentHash(question) }),
    ...(answer === undefined ? {} : { answer }),
    ...(rewritten ? { content: text, content_hash: contentHash(text) } : {}),
    ...(expires_at === undefined && expires_in_days === undefined
      ? {}
      : { expires_at: expiryOf({ expires_at, expires_in_days }, now) }),
    ...(valid_from === undefined ? {} : { valid_from: new Date(valid_from) }),
  };
}

function misfit(field: string, message: string): AppError {
  return new AppError('invalid_request', `${field}: ${message}.`, { fields: [{ field, message }] });
}
