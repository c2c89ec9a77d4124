/** A field of a protobuf message, encoded. */
export type Field = Buffer;

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest === 0n ? low : low | 0x80);
  } while (rest !== 0n);
  return Buffer.from(bytes);
}

/** A whole number, also a negative one. */
export function int(number: number, value: number): Field {
  return Buffer.concat([varint(number * 8), varint(value)]);
}

/** Text, bytes, or a message of fields. */
export function bytes(number: number, content: string | Buffer | readonly Field[]): Field {
  const body = Buffer.isBuffer(content)
    ? content
    : typeof content === 'string'
      ? Buffer.from(content)
      : Buffer.concat(content);
  return Buffer.concat([varint(number * 8 + 2), varint(body.length), body]);
}
