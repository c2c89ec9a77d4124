/** The type `uuid`, as Postgres numbers types. */
const UUID = 2950;
const UUID_BYTES = 16;

/** Ids, 16 bytes each, as Postgres receives a `uuid[]` in binary form. */
export function toUuids(ids: Buffer): Buffer {
  return toArray(UUID, UUID_BYTES, ids.length / UUID_BYTES, (bytes, at, index) => {
    ids.copy(bytes, at, index * UUID_BYTES, (index + 1) * UUID_BYTES);
  });
}

/** Of ids, 16 bytes each, one as text. */
export function uuidAt(ids: Buffer, index: number): string {
  const hex = ids.toString('hex', index * UUID_BYTES, (index + 1) * UUID_BYTES);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function toArray(
  type: number,
  size: number,
  count: number,
  write: (bytes: Buffer, at: number, index: number) => void,
): Buffer {
  const bytes = Buffer.allocUnsafe(20 + count * (4 + size));
  // One dimension, no nulls, the type, how many, numbered from 1.
  [1, 0, type, count, 1].forEach((number, at) => bytes.writeInt32BE(number, 4 * at));
  for (let index = 0; index < count; index += 1) {
    const at = 20 + index * (4 + size);
    bytes.writeInt32BE(size, at);
    write(bytes, at + 4, index);
  }
  return bytes;
}
