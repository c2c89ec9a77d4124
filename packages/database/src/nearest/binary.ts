/** The type of places, as Postgres numbers types. */
const TID = 27;
const TID_BYTES = 6;

/**
 * A vector as Postgres receives a `halfvec` in binary form (pg sends a Buffer as it is): to write and to read numbers
 * as text takes longer than to compare hundreds of them.
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

/** Places as Postgres receives a `tid[]` in binary form. */
export function toTids(places: readonly Readonly<{ page: number; number: number }>[]): Buffer {
  const bytes = Buffer.allocUnsafe(20 + places.length * (4 + TID_BYTES));
  // One dimension, no nulls, the type, how many, numbered from 1.
  [1, 0, TID, places.length, 1].forEach((number, at) => bytes.writeInt32BE(number, 4 * at));
  let at = 20;
  for (const { page, number } of places) {
    at = bytes.writeInt32BE(TID_BYTES, at);
    at = bytes.writeUInt32BE(page, at);
    at = bytes.writeUInt16BE(number, at);
  }
  return bytes;
}
