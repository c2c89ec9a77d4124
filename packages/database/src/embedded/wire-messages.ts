/**
 * The part of Postgres's wire protocol (version 3) that the embedded server needs. A message is a type byte, a
 * big-endian length that counts itself but not the type, and a body; the first message of a connection has no type
 * byte.
 */

const SSL_REQUEST = 80_877_103;
const GSS_REQUEST = 80_877_104;
const CANCEL_REQUEST = 80_877_102;

export type FirstMessage =
  Readonly<{ kind: 'incomplete' }> | Readonly<{ kind: 'encryption' | 'cancel' | 'startup'; length: number }>;

/** Reads the untyped first message of a connection. */
export function parseFirstMessage(buffer: Buffer): FirstMessage {
  if (buffer.length < 8) return { kind: 'incomplete' };
  // At least the bytes that were read, so that a nonsensical length cannot stop the reader.
  const length = Math.max(buffer.readInt32BE(0), 8);
  const code = buffer.readInt32BE(4);
  if (buffer.length < length) return { kind: 'incomplete' };
  if (code === SSL_REQUEST || code === GSS_REQUEST) return { kind: 'encryption', length };
  if (code === CANCEL_REQUEST) return { kind: 'cancel', length };
  return { kind: 'startup', length };
}

/** The parameters of a startup message, such as `user` and `application_name`. */
export function readStartupParameters(message: Buffer): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (let offset = 8; offset < message.length && message[offset] !== 0;) {
    const name = readCString(message, offset);
    const value = readCString(message, name.end);
    parameters.set(name.text, value.text);
    offset = value.end;
  }
  return parameters;
}

/** Length of the first whole typed message in the buffer, type byte included, or undefined. */
export function messageLength(buffer: Buffer): number | undefined {
  if (buffer.length < 5) return undefined;
  const length = 1 + Math.max(buffer.readInt32BE(1), 4);
  return buffer.length < length ? undefined : length;
}

/** One message: type, length, body. */
export function encodeMessage(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 0, 'latin1');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** A zero-terminated string of the protocol. */
export function cString(text: string): Buffer {
  return Buffer.from(`${text}\0`, 'utf8');
}

/** The zero-terminated string at `offset`, and the offset after it. */
export function readCString(buffer: Buffer, offset: number): Readonly<{ text: string; end: number }> {
  const zero = buffer.indexOf(0, offset);
  const stop = zero === -1 ? buffer.length : zero;
  return { text: buffer.toString('utf8', offset, stop), end: stop + 1 };
}

/** An ErrorResponse of severity FATAL: the connection ends. */
export function encodeFatal(sqlState: string, message: string): Buffer {
  return encodeError('FATAL', sqlState, message);
}

/** The answer to a batch that was not run, outside a transaction: an error, then ReadyForQuery. */
export function encodeRefusal(sqlState: string, message: string): Buffer {
  return Buffer.concat([encodeError('ERROR', sqlState, message), encodeMessage('Z', Buffer.from('I'))]);
}

function encodeError(severity: string, sqlState: string, message: string): Buffer {
  const fields = [`S${severity}`, `V${severity}`, `C${sqlState}`, `M${message}`].map(cString);
  return encodeMessage('E', Buffer.concat([...fields, Buffer.from([0])]));
}

/**
 * Renames the prepared statements of one connection, because all connections share one session: without that, two
 * clients that prepare `get_user` collide. The unnamed statement needs no name: it never outlives its batch. Returns
 * a message without a statement name unchanged.
 */
export function renameStatement(message: Buffer, rename: (name: string) => string): Buffer {
  const type = String.fromCharCode(message[0] ?? 0);
  // Parse: name, … · Bind: portal, name, … · Describe and Close: 'S' or 'P', name
  if (type === 'P') return replaceName(message, 5, rename);
  if (type === 'B') return replaceName(message, readCString(message, 5).end, rename);
  if ((type === 'D' || type === 'C') && message[5] === 'S'.charCodeAt(0))
    return replaceName(message, 6, rename);
  return message;
}

function replaceName(message: Buffer, offset: number, rename: (name: string) => string): Buffer {
  const { text, end } = readCString(message, offset);
  if (text === '') return message;
  const type = String.fromCharCode(message[0] ?? 0);
  return encodeMessage(
    type,
    Buffer.concat([message.subarray(5, offset), cString(rename(text)), message.subarray(end)]),
  );
}
