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
