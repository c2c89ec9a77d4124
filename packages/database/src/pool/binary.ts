/**
 * A vector in the binary form of `halfvec` (pg sends a Buffer unchanged). Writing and reading numbers as text takes
 * longer than comparing hundreds of them.
 */
export function toHalfvec(vector: readonly number[]): Buffer {
  const halves = new Uint8Array(new Float16Array(vector).buffer);
  const bytes = Buffer.allocUnsafe(4 + halves.length);
  bytes.writeUInt16BE(vector.length, 0);
  bytes.writeUInt16BE(0, 2);
  bytes.set(halves, 4);
  bytes.subarray(4).swap16();
  return bytes;
}

/**
 * Vectors in the binary form of `halfvec[]`. As text a vector of 512 numbers is ten times as long, and embedded Postgres
 * reads numbers slowly.
 */
export function toHalfvecs(vectors: readonly (readonly number[] | null)[]): Buffer {
  if (vectors.length === 0) return int32s(0, 0, ANY_TYPE);
  const parts = vectors.flatMap((vector) => {
    if (vector === null) return [int32s(-1)];
    const bytes = toHalfvec(vector);
    return [int32s(bytes.length), bytes];
  });
  const hasNull = vectors.includes(null) ? 1 : 0;
  return Buffer.concat([int32s(1, hasNull, ANY_TYPE, vectors.length, 1), ...parts]);
}

/** The type of an extension has another number in each database, so Postgres does not ask for it. */
const ANY_TYPE = 0;

function int32s(...values: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(4 * values.length);
  values.forEach((value, index) => bytes.writeInt32BE(value, 4 * index));
  return bytes;
}
