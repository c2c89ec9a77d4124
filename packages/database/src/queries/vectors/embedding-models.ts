import type { Sql } from '../../pool/sql.ts';

/**
 * active: searches use it; building: its vectors are being computed; retired: replaced, its vectors may still exist.
 */
export type EmbeddingModelState = 'active' | 'building' | 'retired';

/** How a model is called; null where an earlier version did not record it. */
export type EmbeddingEndpoint = Readonly<{
  provider: string;
  endpointModel: string | null;
  endpointDimensions: number | null;
  /** Hex, of the endpoint's address; null for a model without one. */
  endpointSha256: string | null;
}>;

export type EmbeddingModelRow = Readonly<{ id: string; dimensions: number; state: EmbeddingModelState }> &
  Readonly<{ [Name in keyof EmbeddingEndpoint]: EmbeddingEndpoint[Name] | null }>;

const COLUMNS = `id, dimensions, state, provider, endpoint_model as "endpointModel",
  endpoint_dimensions as "endpointDimensions", encode(endpoint_sha256, 'hex') as "endpointSha256"`;

/**
 * Registers an embedding model. The first one is active at once; the vectors of a later one must be built first. Safe
 * to call at every start and from several processes.
 *
 * @param model stable id of the model's profile
 * @param dimensions 1 to 4,000 (the limit of halfvec indexes)
 */
export async function registerEmbeddingModel(
  sql: Sql,
  model: string,
  dimensions: number,
  endpoint?: EmbeddingEndpoint,
): Promise<EmbeddingModelState> {
  let known = await findEmbeddingModel(sql, model);
  if (known === undefined) {
    // One statement, so that it is atomic without a client-side transaction. format() quotes name and literal.
    await sql.query('select create_embedding_model($1::text, $2::integer)', [model, dimensions]);
    known = await findEmbeddingModel(sql, model);
  }
  if (endpoint !== undefined) {
    await sql.query(
      `update embedding_models set provider = $2::text, endpoint_model = $3::text,
         endpoint_dimensions = $4::integer, endpoint_sha256 = decode($5::text, 'hex')
       where id = $1::text
         and (provider, endpoint_model, endpoint_dimensions, encode(endpoint_sha256, 'hex'))
           is distinct from ($2::text, $3::text, $4::integer, $5::text)`,
      [
        model,
        endpoint.provider,
        endpoint.endpointModel,
        endpoint.endpointDimensions,
        endpoint.endpointSha256,
      ],
    );
  }
  return known?.state ?? 'building';
}

/** The id in `embedding_models`, or undefined when the model is not registered. */
export function findEmbeddingModel(sql: Sql, model: string): Promise<EmbeddingModelRow | undefined> {
  return sql.maybeOne(`select ${COLUMNS} from embedding_models where id = $1::text`, [model]);
}

/** The model in use; undefined before the first one is registered. */
export function findActiveEmbeddingModel(sql: Sql): Promise<EmbeddingModelRow | undefined> {
  return sql.maybeOne(`select ${COLUMNS} from embedding_models where state = 'active'`, [], {
    name: 'active_embedding_model',
  });
}

/** All models, the latest first. */
export async function listEmbeddingModels(sql: Sql): Promise<EmbeddingModelRow[]> {
  const { rows } = await sql.query<EmbeddingModelRow>(
    `select ${COLUMNS} from embedding_models order by created_at desc, id`,
  );
  return rows;
}

/** Begins the build of a model unless it has begun; of a retired one only when an operator revives it. */
export async function beginEmbeddingBuild(sql: Sql, model: string, revived = false): Promise<void> {
  await sql.query('select begin_embedding_build($1::text, $2::boolean)', [model, revived]);
}

/** Makes a built model the active one; false when another process was faster. */
export async function activateEmbeddingModel(sql: Sql, model: string): Promise<boolean> {
  const { activated } = await sql.one<{ activated: boolean }>(
    'select activate_embedding_model($1::text) as activated',
    [model],
  );
  return activated;
}

/** The position where a build continues. */
export type BuildPosition = Readonly<{
  stage: 'memories' | 'chunks';
  /** After this id. */
  position: string;
  /** From 1. */
  pass: number;
  /** Missing vectors found in this pass so far. */
  found: number;
  passSeconds: number;
}>;

const POSITION = `stage, position, pass, found,
  extract(epoch from now() - pass_started_at)::float8 as "passSeconds"`;

/** Leases a build to one worker; undefined while another one holds it, or when there is no build. */
export function takeEmbeddingBuild(
  sql: Sql,
  model: string,
  worker: string,
  leaseMs: number,
): Promise<BuildPosition | undefined> {
  return sql.maybeOne<BuildPosition>(
    `update embedding_builds set worker = $2::uuid, leased_until = now() + $3::float8 * interval '1 millisecond'
     where model = $1::text and (worker = $2::uuid or leased_until is null or leased_until < now())
     returning ${POSITION}`,
    [model, worker, leaseMs],
  );
}

/** Stores the position of a build and renews its lease; undefined when the lease is lost. */
export function advanceEmbeddingBuild(
  sql: Sql,
  build: Readonly<{ model: string; worker: string; leaseMs: number }>,
  to: Readonly<{ stage: 'memories' | 'chunks'; position: string; newPass: boolean; found: number }>,
): Promise<BuildPosition | undefined> {
  return sql.maybeOne<BuildPosition>(
    `update embedding_builds set stage = $4::text, position = $5::uuid,
       leased_until = now() + $3::float8 * interval '1 millisecond',
       pass = pass + $6::boolean::integer, found = case when $6::boolean then 0 else found + $7::integer end,
       pass_started_at = case when $6::boolean then now() else pass_started_at end,
       done = done + $7::integer, total = greatest(total, done + $7::integer)
     where model = $1::text and worker = $2::uuid
     returning ${POSITION}`,
    [build.model, build.worker, build.leaseMs, to.stage, to.position, to.newPass, to.found],
  );
}

/** Ends the lease, so that another worker can continue the build. */
export async function releaseEmbeddingBuild(sql: Sql, model: string, worker: string): Promise<void> {
  await sql.query(
    'update embedding_builds set worker = null, leased_until = null where model = $1::text and worker = $2::uuid',
    [model, worker],
  );
}

export type BuildProgress = Readonly<{ model: string; done: number; total: number; pass: number }>;

/** The progress of builds, in vectors. */
export async function listEmbeddingBuilds(sql: Sql): Promise<BuildProgress[]> {
  const { rows } = await sql.query<BuildProgress>(
    `select model, done::float8 as done, total::float8 as total, pass from embedding_builds order by model`,
  );
  return rows;
}

/** The progress of a build for people: how many vectors exist, and how many there will be. */
export async function noteBuildProgress(
  sql: Sql,
  model: string,
  counts: Readonly<{ done: number; total: number }>,
): Promise<void> {
  await sql.query(
    'update embedding_builds set done = $2::bigint, total = $3::bigint where model = $1::text and total = 0',
    [model, counts.done, counts.total],
  );
}

/**
 * Deletes vectors of a model that is not in use, at most this many; resolves to how many. The last call, which finds
 * none, drops the model's index. The model stays registered as retired, so that no process starts to build it.
 */
export async function dropEmbeddings(sql: Sql, model: string, limit: number): Promise<number> {
  const { dropped } = await sql.one<{ dropped: number }>(
    `select drop_embeddings($1::text, $2::integer) as dropped`,
    [model, limit],
  );
  return dropped;
}
