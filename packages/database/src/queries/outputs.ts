import type { Sql } from '../pool/sql.ts';
import { type Claim, fencedOff } from './ledger.ts';

/** A model's answer as the ledger keeps it. */
export type ModelOutput = Readonly<{
  provider: string;
  model: string;
  promptVersion: string;
  raw: string;
  finishReason: string | null;
  promptTokens: number | null;
  completionTokens: number | null;
}>;

/** What one call of a model brought, and how long it took. */
export type ModelCall = Readonly<{ output: ModelOutput; modelMs: number }>;

/**
 * Keeps an answer: `pinned` so that no retry asks the model again, `rejected` to explain a failure. Adds what it
 * cost to the ledger row. One statement; the fence decides. Pinning again what is pinned changes nothing: a commit
 * whose confirmation got lost may be sent twice.
 *
 * @throws AppError `fenced` when another worker has claimed the extraction since
 */
export async function saveOutput(
  sql: Sql,
  claim: Pick<Claim, 'id' | 'fence' | 'tenantId'>,
  { output, modelMs }: ModelCall,
  status: 'pinned' | 'rejected',
): Promise<void> {
  // Postgres text cannot hold NUL, which a model can emit.
  const raw = output.raw.replaceAll('\u0000', '\uFFFD').toWellFormed();
  const { held } = await sql.one<{ held: boolean }>(
    `with held as (
       update extractions
       set model = $6::text, model_calls = model_calls + 1, model_ms = coalesce(model_ms, 0) + $12::integer,
           prompt_tokens = coalesce(prompt_tokens + $10::integer, prompt_tokens, $10::integer),
           completion_tokens = coalesce(completion_tokens + $11::integer, completion_tokens, $11::integer)
       where id = $1::uuid and fence = $2::integer and state = 'active'
         and not exists (select from extraction_outputs o
           where o.extraction_id = $1::uuid and o.status = 'pinned' and $4::text = 'pinned')
       returning id
     ), kept as (
       insert into extraction_outputs (extraction_id, number, tenant_id, status, provider, model, prompt_version,
         raw, finish_reason, prompt_tokens, completion_tokens)
       select held.id,
              (select coalesce(max(o.number), 0) + 1 from extraction_outputs o where o.extraction_id = held.id),
              $3::uuid, $4::text, $5::text, $6::text, $7::text, $8::text, $9::text, $10::integer, $11::integer
       from held
     )
     select exists (select from held) or exists (
       select from extractions e join extraction_outputs o on o.extraction_id = e.id and o.status = $4::text
       where e.id = $1::uuid and e.fence = $2::integer and e.state = 'active' and $4::text = 'pinned') as held`,
    [
      claim.id,
      claim.fence,
      claim.tenantId,
      status,
      output.provider,
      output.model,
      output.promptVersion,
      raw,
      output.finishReason,
      output.promptTokens,
      output.completionTokens,
      modelMs,
    ],
    { name: 'save_output' },
  );
  if (!held) throw fencedOff();
}
