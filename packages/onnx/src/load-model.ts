import { readFile } from 'node:fs/promises';
import type { InferenceSession } from 'onnxruntime-node';
import { createEncoder, type Encoded, type Encoder } from './encode.ts';
import { planBatches } from './plan-batches.ts';
import { poolText } from './pool.ts';
import type { ModelFiles, OnnxModel, Pooling } from './protocol.ts';
import { createRunInputs, type RunInputs } from './run-inputs.ts';
import { importRuntime, LoadError, type Runtime } from './runtime.ts';

/** All numbers of some texts in one array: their vectors one after the other, or their scores. */
export type LoadedModel = (texts: readonly string[]) => Promise<Float32Array<ArrayBuffer>>;

/** Padded tokens of one run. Attention of eight texts with 512 tokens in twelve heads takes 100 MB. */
const MAX_TOKENS_OF_RUN = 4_096;

const TOKEN_VECTORS = ['last_hidden_state', 'token_embeddings'];

/** Loads tokenizer and model. `toLoadFailure` explains what it rejects with. */
export async function loadModel({
  files,
  task,
  maxTokens,
  padTokenId,
  threads,
}: OnnxModel): Promise<LoadedModel> {
  const { runtime, tokenizers } = await importRuntime();
  const { tokenizer, config } = await readTokenizer(files);
  const encoder = createEncoder(new tokenizers.Tokenizer(tokenizer, config), maxTokens);
  const session = await createSession(runtime, files.model, threads);
  const runner = (output: string) => createRunInputs({ session, runtime, padTokenId, output });
  if (task.kind === 'score') return createScore(encoder, runner(scoresOf(session)));
  return createEmbed(encoder, runner(tokenVectorsOf(session)), task.pooling);
}

async function readTokenizer(files: ModelFiles): Promise<Readonly<{ tokenizer: object; config: object }>> {
  const readObject = async (file: string) => JSON.parse(await readFile(file, 'utf8')) as object;
  return {
    tokenizer: await readObject(files.tokenizer),
    config: files.tokenizerConfig === null ? {} : await readObject(files.tokenizerConfig),
  };
}

function createSession(runtime: Runtime, file: string, threads: number): Promise<InferenceSession> {
  return runtime.InferenceSession.create(file, {
    executionProviders: ['cpu'],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    // Lengths differ from run to run: memory that is kept would grow to the largest of each.
    enableCpuMemArena: false,
    enableMemPattern: false,
    logSeverityLevel: 3,
  });
}

function tokenVectorsOf({ outputNames }: InferenceSession): string {
  const name = TOKEN_VECTORS.find((candidate) => outputNames.includes(candidate));
  if (name === undefined) throw new LoadError('model_unusable', 'the model has no output last_hidden_state');
  return name;
}

function scoresOf({ outputNames }: InferenceSession): string {
  if (!outputNames.includes('logits'))
    throw new LoadError('model_unusable', 'the model has no output logits');
  return 'logits';
}

function createEmbed(encoder: Encoder, run: RunInputs, pooling: Pooling): LoadedModel {
  return async (texts) => {
    const inputs = texts.map(encoder.encode);
    let packed = new Float32Array(0);
    for await (const { batch, values, shape } of runAll(inputs, run)) {
      const [, tokens = 0, dimensions = 0] = shape;
      if (packed.length === 0) packed = new Float32Array(texts.length * dimensions);
      batch.forEach((position, row) => {
        const target = packed.subarray(position * dimensions, (position + 1) * dimensions);
        const length = inputs[position]?.ids.length ?? 1;
        poolText({ values, tokens, dimensions }, row, length, pooling, target);
      });
    }
    return packed;
  };
}

function createScore(encoder: Encoder, run: RunInputs): LoadedModel {
  return async ([query = '', ...documents]) => {
    const inputs = documents.map((document) => encoder.encodePair(query, document));
    const scores = new Float32Array(documents.length);
    for await (const { batch, values } of runAll(inputs, run)) {
      if (values.length !== batch.length)
        throw new LoadError('model_unusable', 'a cross-encoder has one score for each pair');
      batch.forEach((position, row) => {
        scores[position] = values[row] ?? 0;
      });
    }
    return scores;
  };
}

async function* runAll(inputs: readonly Encoded[], run: RunInputs) {
  const lengths = inputs.map(({ ids }) => ids.length);
  for (const batch of planBatches(lengths, MAX_TOKENS_OF_RUN)) {
    yield { batch, ...(await run(batch.flatMap((position) => inputs[position] ?? []))) };
  }
}
