/**
 * Codes of vectors, one after the other: for each the same number of bytes, a multiple of LANE_BYTES; the bits behind
 * the last component are 0.
 */
export type Codes = Readonly<{ codes: Uint8Array; bytesOfCode: number }>;

/** So many bytes are compared at once. */
export const LANE_BYTES = 16;

const PAGE_BYTES = 64 * 1024;

/**
 * In how many bits each code differs from the query's: valid until the next call. By the processor's vector
 * instructions where it has them.
 */
export function countDifferent(codes: Codes, query: Uint8Array): Uint16Array {
  return countInLanes === null ? countByTable(codes, query) : countInLanes(codes, query);
}

/** As `countDifferent`, where there are no vector instructions. */
export function countByTable({ codes, bytesOfCode }: Codes, query: Uint8Array): Uint16Array {
  const size = codes.length / bytesOfCode;
  const counts = new Uint16Array(size);
  for (let row = 0, at = 0; row < size; row += 1) {
    let count = 0;
    for (let byte = 0; byte < bytesOfCode; byte += 1, at += 1) {
      count += ONES[(codes[at] ?? 0) ^ (query[byte] ?? 0)] ?? 0;
    }
    counts[row] = count;
  }
  return counts;
}

/** How many bits of a byte are 1. */
const ONES = new Uint8Array(256);
for (let byte = 1; byte < ONES.length; byte += 1) ONES[byte] = (byte & 1) + (ONES[byte >> 1] ?? 0);

const v128 = (...opcode: number[]) => [0xfd, ...opcode];
const get = (local: number) => [0x20, local];
const set = (local: number) => [0x21, local];
const tee = (local: number) => [0x22, local];
const number = (value: number) => [0x41, value];
const add = [0x6a];
const end = [0x0b];
const goOn = [0x0c, 0];
const goOnIf = [0x0d, 0];
const leaveIf = [0x0d, 1];
const lane = (index: number) => v128(0x1b, index);
const sized = (bytes: readonly number[]) => [bytes.length, ...bytes];
const section = (id: number, bytes: readonly number[]) => [id, ...sized(bytes)];

/** Parameters, all places in memory but the last: the codes, their end, the query, the counts; the bytes of a code. */
const [CODE, END, QUERY, COUNT, BYTES] = [0, 1, 2, 3, 4] as const;
/** Locals: where in the code, and the sum of the lanes (eight numbers of 16 bits). */
const [AT, SUM] = [5, 6] as const;

/** What every module begins with: its name and version. */
const START = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
/** The module, as WebAssembly writes it: a function over imported memory. */
const MODULE = Uint8Array.from([
  ...START,
  // One type: five i32 and no result. One import: memory `m` of `m`. One function of the type, exported as `f`.
  ...section(1, [1, 0x60, 5, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0]),
  ...section(2, [1, 1, 0x6d, 1, 0x6d, 2, 0, 1]),
  ...section(3, [1, 0]),
  ...section(7, [1, 1, 0x66, 0, 0]),
  ...section(10, [
    1,
    ...sized(
      [
        // Locals: one i32, one v128.
        [2, 1, 0x7f, 1, 0x7b],
        // For each code, as long as there is one:
        [0x02, 0x40, 0x03, 0x40],
        [...get(CODE), ...get(END), 0x4f, ...leaveIf],
        [...number(0), ...tee(AT), ...v128(0x10), ...set(SUM)],
        // For each lane: different = code[at] xor query[at]; sum += pairs of the number of ones in its bytes.
        [0x03, 0x40, ...get(SUM)],
        [...get(CODE), ...get(AT), ...add, ...v128(0x00, 0, 0)],
        [...get(QUERY), ...get(AT), ...add, ...v128(0x00, 0, 0)],
        [...v128(0x51), ...v128(0x62), ...v128(0x7d), ...v128(0x8e, 0x01), ...set(SUM)],
        [...get(AT), ...number(LANE_BYTES), ...add, ...tee(AT), ...get(BYTES), 0x49, ...goOnIf, ...end],
        // count = the sum of the eight numbers, by way of four of 32 bits.
        [...get(COUNT), ...get(SUM), ...v128(0x7f), ...tee(SUM), ...lane(0)],
        [1, 2, 3].flatMap((index) => [...get(SUM), ...lane(index), ...add]),
        [0x3b, 0, 0],
        // The next code, the next count.
        [...get(CODE), ...get(BYTES), ...add, ...set(CODE)],
        [...get(COUNT), ...number(2), ...add, ...set(COUNT)],
        [...goOn, ...end, ...end, ...end],
      ].flat(),
    ),
  ]),
]);

/** What is used of it: the types of Node do not have it. There is none where nothing may be compiled (`--jitless`). */
type Compiler = Readonly<{
  validate: (bytes: Uint8Array) => boolean;
  Memory: new (descriptor: { initial: number }) => { buffer: ArrayBuffer; grow: (pages: number) => number };
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { exports: Record<string, unknown> };
}>;

type CountInLanes = (code: number, end: number, query: number, count: number, bytes: number) => void;

/** Null without vector instructions. Copies what it compares into memory of its own. */
export function createCountInLanes(): typeof countDifferent | null {
  const compiler = (globalThis as { WebAssembly?: Compiler }).WebAssembly;
  if (compiler?.validate(MODULE) !== true) return null;
  const memory = new compiler.Memory({ initial: 1 });
  const { exports } = new compiler.Instance(new compiler.Module(MODULE), { m: { m: memory } });
  const count = exports['f'] as CountInLanes;
  // A user is often searched again at once.
  let copied: Uint8Array | null = null;
  return ({ codes, bytesOfCode }, query) => {
    const size = codes.length / bytesOfCode;
    const countsAt = bytesOfCode + codes.length;
    const missing = countsAt + 2 * size - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
    const bytes = new Uint8Array(memory.buffer);
    bytes.set(query);
    if (copied !== codes) bytes.set(codes, bytesOfCode);
    copied = codes;
    count(bytesOfCode, countsAt, 0, countsAt, bytesOfCode);
    return new Uint16Array(memory.buffer, countsAt, size);
  };
}

const countInLanes = createCountInLanes();
