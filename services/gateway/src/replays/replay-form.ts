import type { Replay, ReplayDiffItem } from '@factmill/contracts';
import { type DiffRow, type ReplayRow, toMemory } from '@factmill/database';

/** A replay in the form of the REST contract. */
export function toReplay(row: ReplayRow): Replay {
  return {
    id: row.id,
    state: row.state,
    user_id: row.userId,
    since: row.since?.toISOString() ?? null,
    until: row.until?.toISOString() ?? null,
    preset: row.preset,
    model: row.model,
    own_prompt: row.hasPrompt,
    estimate: row.estimate,
    progress: { runs: row.runs, done: row.done, failed: row.failed },
    deferred_until: row.deferredUntil?.toISOString() ?? null,
    reason: row.reason,
    error: row.errorClass === null ? null : { class: row.errorClass, message: row.errorMessage ?? '' },
    usage: {
      model_calls: row.modelCalls,
      prompt_tokens: row.promptTokens,
      completion_tokens: row.completionTokens,
    },
    created_at: row.createdAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null,
  };
}

export function toDiffItem({ change, userId, fields, before, after }: DiffRow): ReplayDiffItem {
  return {
    change,
    user_id: userId,
    fields,
    before: before === null ? null : toMemory(before),
    after: after === null ? null : toMemory(after),
  };
}
