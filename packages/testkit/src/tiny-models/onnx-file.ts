import { bytes, type Field, int } from './protobuf.ts';

// The numbers are those of onnx.proto.
const FLOAT = 1;
const INT64 = 7;
const TYPES = { float: FLOAT, int64: INT64 } as const;
type TypeName = keyof typeof TYPES;

/** A dimension is a number, or a name for one that differs from run to run. */
type Value = Readonly<{ name: string; type: TypeName; shape: readonly (number | string)[] }>;
type Constant = Readonly<{
  name: string;
  type: TypeName;
  shape: readonly number[];
  values: readonly number[];
}>;
type Node = Readonly<{
  op: string;
  inputs: readonly string[];
  output: string;
  /** Whole numbers by name. */
  attributes?: Readonly<Record<string, number>>;
}>;

export type Graph = Readonly<{
  inputs: readonly Value[];
  outputs: readonly Value[];
  constants: readonly Constant[];
  nodes: readonly Node[];
}>;

/** An ONNX file (opset 17) with this graph. */
export function toOnnxFile({ inputs, outputs, constants, nodes }: Graph): Buffer {
  const graph = [
    ...nodes.map((node) => bytes(1, toNode(node))),
    bytes(2, 'tiny'),
    ...constants.map((constant) => bytes(5, toTensor(constant))),
    ...inputs.map((input) => bytes(11, toValue(input))),
    ...outputs.map((output) => bytes(12, toValue(output))),
  ];
  return Buffer.concat([int(1, 8), bytes(7, graph), bytes(8, [bytes(1, ''), int(2, 17)])]);
}

function toNode({ op, inputs, output, attributes = {} }: Node): Field[] {
  return [
    ...inputs.map((input) => bytes(1, input)),
    bytes(2, output),
    bytes(4, op),
    ...Object.entries(attributes).map(([name, value]) =>
      bytes(5, [bytes(1, name), int(3, value), int(20, 2)]),
    ),
  ];
}

function toTensor({ name, type, shape, values }: Constant): Field[] {
  const raw = type === 'float' ? Float32Array.from(values) : BigInt64Array.from(values, BigInt);
  return [
    ...shape.map((size) => int(1, size)),
    int(2, TYPES[type]),
    bytes(8, name),
    bytes(9, Buffer.from(raw.buffer)),
  ];
}

function toValue({ name, type, shape }: Value): Field[] {
  const dimensions = shape.map((size) =>
    bytes(1, [typeof size === 'number' ? int(1, size) : bytes(2, size)]),
  );
  return [bytes(1, name), bytes(2, [bytes(1, [int(1, TYPES[type]), bytes(2, dimensions)])])];
}
