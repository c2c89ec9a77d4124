import type { InferenceSession } from 'onnxruntime-node';
import type { Encoded } from './encode.ts';
import { LoadError, type Runtime } from './runtime.ts';

type Output = Readonly<{ values: Float32Array; shape: readonly number[] }>;

/** Runs inputs of one batch, padded to the longest. */
export type RunInputs = (inputs: readonly Encoded[]) => Promise<Output>;

type Deps = Readonly<{
  session: InferenceSession;
  runtime: Runtime;
  padTokenId: number;
  /** Name of the output that is read. */
  output: string;
}>;

type Columns = Readonly<{
  input_ids: BigInt64Array;
  attention_mask: BigInt64Array;
  token_type_ids: BigInt64Array;
}>;

/** @throws LoadError for a model that needs other inputs than tokens, their mask and their types */
export function createRunInputs({ session, runtime, padTokenId, output }: Deps): RunInputs {
  const names = session.inputNames.map((name) => {
    if (name === 'input_ids' || name === 'attention_mask' || name === 'token_type_ids') return name;
    throw new LoadError('model_unusable', `the model needs an input ${name}`);
  });
  return async (inputs) => {
    const tokens = Math.max(...inputs.map(({ ids }) => ids.length));
    const columns = toColumns(inputs, tokens, padTokenId);
    const feeds = names.map((name) => [
      name,
      new runtime.Tensor('int64', columns[name], [inputs.length, tokens]),
    ]);
    const { [output]: tensor } = await session.run(Object.fromEntries(feeds) as InferenceSession.FeedsType, [
      output,
    ]);
    if (!(tensor?.data instanceof Float32Array))
      throw new LoadError('model_unusable', 'the output is not of 32-bit floats');
    return { values: tensor.data, shape: tensor.dims };
  };
}

function toColumns(inputs: readonly Encoded[], tokens: number, padTokenId: number): Columns {
  const size = inputs.length * tokens;
  const columns = {
    input_ids: new BigInt64Array(size).fill(BigInt(padTokenId)),
    attention_mask: new BigInt64Array(size),
    token_type_ids: new BigInt64Array(size),
  };
  inputs.forEach(({ ids, typeIds }, row) => {
    const first = row * tokens;
    columns.input_ids.set(ids.map(BigInt), first);
    columns.token_type_ids.set(typeIds.map(BigInt), first);
    columns.attention_mask.fill(1n, first, first + ids.length);
  });
  return columns;
}
