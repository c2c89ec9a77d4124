import { type Config, loadConfig, loadProcessEnvironment } from '@factmill/config';
import { checkOnnxModel } from '@factmill/models';
import type { Command } from 'commander';
import { print } from './with-database.ts';

type OnnxModel = Parameters<typeof checkOnnxModel>[0] & Readonly<{ prefix: 'EMBEDDING' | 'RERANK' }>;

/** `factmill models`: fetches the configured models from ONNX files unless they are there, and loads each once. */
export function addModelsCommand(program: Command): void {
  program
    .command('models')
    .description('fetch and check the configured models from ONNX files')
    .action(async () => {
      const models = configuredModels(loadConfig(loadProcessEnvironment()));
      if (models.length === 0)
        print('No model from ONNX files is configured (EMBEDDING_PROVIDER, RERANK_PROVIDER).');
      for (const model of models) await check(model);
    });
}

function configuredModels({ embedding, retrieval: { rerank } }: Config): OnnxModel[] {
  return [
    ...(embedding.provider === 'onnx'
      ? [{ ...embedding, kind: 'embedding', prefix: 'EMBEDDING' } as const]
      : []),
    ...(rerank.provider === 'onnx' ? [{ ...rerank, kind: 'reranking', prefix: 'RERANK' } as const] : []),
  ];
}

async function check(model: OnnxModel): Promise<void> {
  const onFetch = ({
    file,
    bytes,
    totalBytes,
  }: {
    file: string;
    bytes: number;
    totalBytes: number | undefined;
  }) => {
    const of = totalBytes === undefined ? '' : ` of ${megabytes(totalBytes)}`;
    process.stderr.write(`factmill: ${file}: ${megabytes(bytes)}${of} MB\n`);
  };
  const { name, sha256, commit, maxTokens, vectors } = await checkOnnxModel(model, {
    now: Date.now,
    onFetch,
  });
  const what =
    vectors === null
      ? 'a cross-encoder'
      : `${vectors.dimensions} dimensions, pooling ${vectors.pooling}, its vectors are called ${vectors.id}`;
  print(`${name}: ${what}; ${maxTokens} tokens of a text are read. To pin this version:`);
  if (commit !== null) print(`${model.prefix}_MODEL=${model.model.split('@', 1)[0]}@${commit}`);
  print(`${model.prefix}_MODEL_SHA256=${sha256}`);
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
