import { explainRule } from '@factmill/errors';
import { type Environment, environmentSchema } from './environment.ts';
import { type ConfigProblem, invalidConfiguration } from './invalid-configuration.ts';
import { databaseProblems } from './database-config.ts';
import { redisProblems } from './redis-config.ts';

export type RawEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * Checks the environment.
 *
 * @throws AppError `config_invalid` that lists every bad name with its rule, and never a value.
 */
export function parseEnvironment(raw: RawEnvironment): Environment {
  const present = Object.fromEntries(
    Object.entries(raw).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = environmentSchema.safeParse(present, { error: explainRule });
  const problems = [...crossChecks(present), ...databaseProblems(present), ...redisProblems(present)];
  if (parsed.success && problems.length === 0) return parsed.data;
  const broken = parsed.success
    ? []
    : parsed.error.issues.map((issue) => ({ name: String(issue.path[0]), rule: issue.message }));
  throw invalidConfiguration([...broken, ...problems]);
}

/** Settings that must be set together. Looks only at which are set, so that it reports beside invalid values. */
function crossChecks(
  environment: Readonly<Partial<Record<keyof Environment, string | undefined>>>,
): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  if (environment.LLM_BASE_URL !== undefined && environment.LLM_MODEL === undefined) {
    problems.push({ name: 'LLM_MODEL', rule: 'must be set together with LLM_BASE_URL' });
  }
  if (environment.LLM_MODEL !== undefined && environment.LLM_BASE_URL === undefined) {
    problems.push({ name: 'LLM_BASE_URL', rule: 'must be set together with LLM_MODEL' });
  }
  const wantsRemoteEmbedding =
    environment.EMBEDDING_PROVIDER === 'openai' ||
    (environment.EMBEDDING_PROVIDER === undefined &&
      (environment.EMBEDDING_BASE_URL !== undefined || environment.EMBEDDING_MODEL !== undefined));
  if (wantsRemoteEmbedding && environment.EMBEDDING_MODEL === undefined) {
    problems.push({
      name: 'EMBEDDING_MODEL',
      rule: 'must be set for an OpenAI-compatible embedding endpoint',
    });
  }
  if (
    wantsRemoteEmbedding &&
    environment.EMBEDDING_BASE_URL === undefined &&
    environment.LLM_BASE_URL === undefined
  ) {
    problems.push({
      name: 'EMBEDDING_BASE_URL',
      rule: 'or LLM_BASE_URL must be set together with EMBEDDING_MODEL',
    });
  }
  if (environment.EMBEDDING_PROVIDER === 'onnx' && environment.EMBEDDING_MODEL === undefined) {
    problems.push({ name: 'EMBEDDING_MODEL', rule: 'must be set for EMBEDDING_PROVIDER=onnx' });
  }
  const reranks = (environment.RERANK_PROVIDER ?? 'none') !== 'none';
  if (reranks && environment.RERANK_PROVIDER !== 'onnx' && environment.RERANK_BASE_URL === undefined) {
    problems.push({ name: 'RERANK_BASE_URL', rule: 'must be set together with RERANK_PROVIDER' });
  }
  if (reranks && environment.RERANK_PROVIDER !== 'tei' && environment.RERANK_MODEL === undefined) {
    problems.push({ name: 'RERANK_MODEL', rule: 'must be set for this RERANK_PROVIDER' });
  }
  return problems;
}
