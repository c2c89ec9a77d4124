import type { IndexPage } from './user-index.ts';

/** A memory by the length of its text, the keys of its lexemes, the bits of its code, and its facets. */
export type IndexedMemory = Readonly<{
  length: number;
  keys: readonly number[];
  /** The lexemes of the keys; of all memories or of none. */
  lexemes?: readonly string[];
  text?: string;
  bits?: string;
  id?: number;
  facets?: readonly string[];
  /** Default 0: it has always held. */
  begins?: number;
}>;

/** Memories as Postgres sends them. Ids are numbers, repeated in each byte; without one, the place of the memory. */
export function packPage(memories: readonly IndexedMemory[]): IndexPage {
  const int4 = (numbers: readonly number[]) => {
    const bytes = Buffer.alloc(4 * numbers.length);
    numbers.forEach((number, at) => bytes.writeUInt32BE(number, 4 * at));
    return bytes;
  };
  const keys = memories.flatMap((memory) => memory.keys);
  const packedKeys = Buffer.alloc(8 * keys.length);
  keys.forEach((key, at) => packedKeys.writeBigInt64BE(BigInt(key), 8 * at));
  const codes = memories.map(({ bits = '' }) => {
    const code = Buffer.alloc(Math.ceil(bits.length / 8));
    bits.split('').forEach((bit, at) => {
      if (bit === '1') code[at >> 3] = (code[at >> 3] ?? 0) | (0x80 >> (at & 7));
    });
    return Buffer.concat([int4([bits.length]), code]);
  });
  return {
    ids: Buffer.concat(memories.map(({ id }, row) => Buffer.alloc(16, id ?? row))),
    lengths: int4(memories.map(({ length }) => length)),
    begins: Buffer.concat(
      memories.map(({ begins = 0 }) => {
        const bytes = Buffer.alloc(8);
        bytes.writeDoubleBE(begins);
        return bytes;
      }),
    ),
    lexemeCounts: int4(memories.map((memory) => memory.keys.length)),
    keys: packedKeys,
    codes: Buffer.concat(codes),
    lexemes: memories.flatMap(({ lexemes = [] }) => lexemes).join('\n'),
    texts: memories.map(({ text = '' }) => text).join('\n'),
    facets: memories.map(({ facets = [] }) => facets),
    upcoming: Buffer.alloc(0),
  };
}
