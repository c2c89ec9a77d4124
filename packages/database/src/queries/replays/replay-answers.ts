import type { Sql } from '../../pool/sql.ts';
import { replayClaims } from '../claims.ts';
import {
  type ModelCall,
  type OutputPurpose,
  type PinnedOutput,
  type saveOutput,
  toStoredText,
} from '../extractions/outputs.ts';
import { type BudgetWarning, usageToJson } from '../usage/usage.ts';

/**
 * Stores an answer of a run, as saveOutput does for an extraction.
 *
 * @throws AppError `fenced` when another worker has claimed the run since
 */
export async function saveReplayAnswer(
  sql: Sql,
  claim: Parameters<typeof saveOutput>[1],
  { output }: ModelCall,
  status: 'pinned' | 'rejected',
  { purpose = 'extract', shown = null, usage }: NonNullable<Parameters<typeof saveOutput>[4]> = {},
): Promise<readonly BudgetWarning[]> {
  const { held, warnings } = await sql.one<{ held: boolean; warnings: BudgetWarning[] | null }>(
    `with held as (
       update replay_runs
       set model_calls = model_calls + 1, prompt_tokens = prompt_tokens + coalesce($9::integer, 0),
           completion_tokens = completion_tokens + coalesce($10::integer, 0)
       where id = $1::uuid and tenant_id = $3::uuid and fence = $2::integer and state = 'active'
         and not ($4::text = 'pinned' and exists (select from replay_answers a
           where a.run_id = $1::uuid and a.tenant_id = $3::uuid and a.purpose = $11::text and a.status = 'pinned'))
       returning id
     ), kept as (
       insert into replay_answers (run_id, number, tenant_id, status, provider, model, prompt_version, raw,
         finish_reason, prompt_tokens, completion_tokens, purpose, shown)
       select held.id, (select coalesce(max(a.number), 0) + 1 from replay_answers a
           where a.run_id = held.id and a.tenant_id = $3::uuid),
         $3::uuid, $4::text, $5::text, $6::text, $7::text, $13::text, $8::text, $9::integer, $10::integer,
         $11::text, $12::jsonb
       from held
     )
     select exists (select from held) or ($4::text = 'pinned' and exists (
         select from replay_runs r
         where r.id = $1::uuid and r.tenant_id = $3::uuid and r.fence = $2::integer and r.state = 'active')) as held,
       case when $14::jsonb is not null and exists (select from held) then record_usage($3::uuid, $14::jsonb) end
         as warnings`,
    [
      claim.id,
      claim.fence,
      claim.tenantId,
      status,
      output.provider,
      output.model,
      output.promptVersion,
      output.finishReason,
      output.promptTokens,
      output.completionTokens,
      purpose,
      shown === null ? null : JSON.stringify(shown),
      toStoredText(output.raw),
      usage === undefined ? null : usageToJson([usage]),
    ],
  );
  if (!held) throw replayClaims.fencedOff();
  return warnings ?? [];
}

/** The pinned answers of a run by purpose. */
export async function listReplayAnswers(
  sql: Sql,
  run: Readonly<{ id: string; tenantId: string }>,
): Promise<ReadonlyMap<OutputPurpose, PinnedOutput>> {
  const { rows } = await sql.query<PinnedOutput['output'] & { purpose: OutputPurpose; shown: unknown }>(
    `select purpose, shown, provider, model, prompt_version as "promptVersion", raw,
       finish_reason as "finishReason", prompt_tokens as "promptTokens", completion_tokens as "completionTokens"
     from replay_answers where tenant_id = $2::uuid and run_id = $1::uuid and status = 'pinned'`,
    [run.id, run.tenantId],
  );
  return new Map(rows.map(({ purpose, shown, ...output }) => [purpose, { shown, output }]));
}
