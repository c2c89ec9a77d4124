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
