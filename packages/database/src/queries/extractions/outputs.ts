import type { Sql } from '../../pool/sql.ts';
import { extractionClaims, type HeldClaim } from '../claims.ts';
import { type BudgetWarning, type UsageEntry, usageToJson } from '../usage/usage.ts';
import type { ModelOutput } from './model-output.ts';

/**
 * Purposes of an extraction's calls: the memories; the missing part of a truncated reply; how new and similar
 * memories relate.
 */
export type OutputPurpose = 'extract' | 'continue' | 'reconcile';

/** A pinned answer of an earlier run, and the meaning of its short ids. */
export type PinnedOutput = Readonly<{ output: ModelOutput; shown: unknown }>;

/** The result of one call of a model, and how long it took. */
export type ModelCall = Readonly<{ output: ModelOutput; modelMs: number }>;

/**
 * Stores an answer: `pinned` so that no retry asks the model again, `rejected` to explain a failure. Adds its cost to
 * the ledger row. One statement with a fence check. Pinning twice changes nothing: a commit whose confirmation got
 * lost may be sent again, and counts its cost once. Resolves to the budgets of which it has taken 80 or 100 %.
 *
 * @throws AppError `fenced` when another worker has claimed the extraction since
 */
export async function saveOutput(
  sql: Sql,
  claim: HeldClaim,
  { output, modelMs }: ModelCall,
  status: 'pinned' | 'rejected',
  {
    purpose = 'extract',
    shown = null,
    usage,
  }: Readonly<{
    purpose?: OutputPurpose;
    /** The meaning of the answer's short ids, stored with it; no text. */
    shown?: unknown;
    /** What the call cost, counted in the same statement; absent for calls that cost nothing. */
    usage?: UsageEntry | undefined;
  }> = {},
): Promise<readonly BudgetWarning[]> {
  const { held, warnings } = await sql.one<{ held: boolean; warnings: BudgetWarning[] | null }>(
    `with held as (
       update extractions
       set model = $6::text, model_calls = model_calls + 1, model_ms = coalesce(model_ms, 0) + $12::integer,
           prompt_tokens = coalesce(prompt_tokens + $10::integer, prompt_tokens, $10::integer),
           completion_tokens = coalesce(completion_tokens + $11::integer, completion_tokens, $11::integer)
       where id = $1::uuid and tenant_id = $3::uuid and fence = $2::integer and state = 'active'
         and not exists (select from extraction_outputs o
           where o.extraction_id = $1::uuid and o.tenant_id = $3::uuid and o.purpose = $13::text and o.status = 'pinned'
             and $4::text = 'pinned')
       returning id
     ), kept as (
       insert into extraction_outputs (extraction_id, number, tenant_id, status, provider, model, prompt_version,
         raw, finish_reason, prompt_tokens, completion_tokens, purpose, shown)
       select held.id,
              (select coalesce(max(o.number), 0) + 1 from extraction_outputs o
               where o.extraction_id = held.id and o.tenant_id = $3::uuid),
              $3::uuid, $4::text, $5::text, $6::text, $7::text, $8::text, $9::text, $10::integer, $11::integer,
              $13::text, $14::jsonb
       from held
     )
     select exists (select from held) or exists (
       select from extractions e join extraction_outputs o on o.extraction_id = e.id and o.tenant_id = $3::uuid
         and o.status = $4::text
         and o.purpose = $13::text
       where e.id = $1::uuid and e.tenant_id = $3::uuid and e.fence = $2::integer and e.state = 'active' and $4::text = 'pinned') as held,
       case when $15::jsonb is not null and exists (select from held) then record_usage($3::uuid, $15::jsonb) end
         as warnings`,
    [
      claim.id,
      claim.fence,
      claim.tenantId,
      status,
      output.provider,
      output.model,
      output.promptVersion,
      toStoredText(output.raw),
      output.finishReason,
      output.promptTokens,
      output.completionTokens,
      modelMs,
      purpose,
      shown === null ? null : JSON.stringify(shown),
      usage === undefined ? null : usageToJson([usage]),
    ],
    { name: 'save_output' },
  );
  if (!held) throw extractionClaims.fencedOff();
  return warnings ?? [];
}

/** The answer of a call as `finishExtraction` stores it. */
export type StoredAnswer = ModelOutput & Readonly<{ modelMs: number }>;

export function toStoredAnswer({ output, modelMs }: ModelCall): StoredAnswer {
  return { ...output, raw: toStoredText(output.raw), modelMs };
}

/** Postgres text cannot hold NUL, which a model can emit. */
export function toStoredText(raw: string): string {
  return raw.replaceAll('\u0000', '\uFFFD').toWellFormed();
}

/** All pinned answers of an extraction, by purpose. When its fence has moved on they are history. */
export async function listPinnedOutputs(
  sql: Sql,
  { id, tenantId }: Readonly<{ id: string; tenantId: string }>,
): Promise<ReadonlyMap<OutputPurpose, PinnedOutput>> {
  const { rows } = await sql.query<ModelOutput & { purpose: OutputPurpose; shown: unknown }>(
    `select purpose, shown, provider, model, prompt_version as "promptVersion", raw, finish_reason as "finishReason",
       prompt_tokens as "promptTokens", completion_tokens as "completionTokens"
     from extraction_outputs where extraction_id = $1::uuid and tenant_id = $2::uuid and status = 'pinned'`,
    [id, tenantId],
    { name: 'list_pinned_outputs' },
  );
  return new Map(rows.map(({ purpose, shown, ...output }) => [purpose, { output, shown }]));
}

/** An answer of a model as it was stored. */
export type StoredOutput = Omit<ModelOutput, 'raw'> &
  Readonly<{
    purpose: OutputPurpose;
    status: 'pinned' | 'rejected';
    createdAt: Date;
    /** Null where it was not asked for. */
    raw: string | null;
  }>;

/** All answers to an extraction of a tenant, in their order; word for word if `isRaw`. Uses extraction_outputs_pkey. */
export async function listOutputs(
  sql: Sql,
  { tenantId, extractionId, isRaw }: Readonly<{ tenantId: string; extractionId: string; isRaw: boolean }>,
): Promise<StoredOutput[]> {
  const { rows } = await sql.query<StoredOutput>(
    `select purpose, status, provider, model, prompt_version as "promptVersion", finish_reason as "finishReason",
       prompt_tokens as "promptTokens", completion_tokens as "completionTokens", created_at as "createdAt",
       case when $3::boolean then raw end as raw
     from extraction_outputs where extraction_id = $1::uuid and tenant_id = $2::uuid order by number`,
    [extractionId, tenantId, isRaw],
  );
  return rows;
}
