import type { ExtractionAnswer, ExtractionStep } from '@factmill/contracts';
import type { ExtractionRow, StoredOutput } from '@factmill/database';

/** What happened to an extraction, in order. What it waits for comes last, as it is still to come. */
export function timelineOf(row: ExtractionRow, outputs: readonly StoredOutput[]): ExtractionStep[] {
  const { startedAt, claimedAt } = row;
  const isClaimedAgain = claimedAt !== null && startedAt !== null && claimedAt > startedAt;
  const steps: ExtractionStep[] = [
    { at: row.acceptedAt.toISOString(), step: 'accepted' },
    ...(startedAt === null ? [] : [{ at: startedAt.toISOString(), step: 'claimed' as const }]),
    ...(isClaimedAgain ? [{ at: claimedAt.toISOString(), step: 'claimed_again' as const }] : []),
    ...outputs.map((output) => ({
      at: output.createdAt.toISOString(),
      step: 'answered' as const,
      answer: toAnswer(output),
    })),
    ...endOf(row),
  ];
  // The sort is stable: what has one time stays in this order.
  return [...steps.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)), ...waitOf(row)];
}

/** An answer without its text. */
export function toAnswer(output: StoredOutput): Omit<ExtractionAnswer, 'at' | 'provider' | 'raw'> {
  return {
    purpose: output.purpose,
    status: output.status,
    model: output.model,
    prompt_version: output.promptVersion,
    finish_reason: output.finishReason,
    prompt_tokens: output.promptTokens,
    completion_tokens: output.completionTokens,
  };
}

function endOf(row: ExtractionRow): ExtractionStep[] {
  if (row.finishedAt === null) return [];
  const at = row.finishedAt.toISOString();
  if (row.state === 'done') {
    const { added, updated, deleted, unchanged, rejected } = row;
    return [
      {
        at,
        step: 'applied',
        ...(row.applyMs === null ? {} : { took_ms: row.applyMs }),
        counts: { added, updated, deleted, unchanged, rejected },
      },
    ];
  }
  if (row.state === 'failed') return [{ at, step: 'failed', ...errorOf(row) }];
  return row.state === 'dropped' || row.state === 'skipped'
    ? [{ at, step: row.state, ...reasonOf(row) }]
    : [];
}

function waitOf(row: ExtractionRow): ExtractionStep[] {
  if (row.state !== 'pending') return [];
  const at = row.deferredUntil ?? row.nextAttemptAt;
  return at === null ? [] : [{ at: at.toISOString(), step: 'waits', ...reasonOf(row), ...errorOf(row) }];
}

function reasonOf({ reason }: ExtractionRow): Pick<ExtractionStep, 'reason'> {
  return reason === null ? {} : { reason };
}

function errorOf({ errorClass, errorMessage }: ExtractionRow): Pick<ExtractionStep, 'error'> {
  return errorClass === null ? {} : { error: { class: errorClass, message: errorMessage ?? '' } };
}
