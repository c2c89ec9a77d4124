import { timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import {
  type RunBatch,
  type SessionQueue,
  type SessionStatus,
  WaitedTooLong,
  type WorkClass,
} from './session-queue.ts';
import {
  cString,
  encodeFatal,
  encodeMessage,
  encodeRefusal,
  messageLength,
  parseFirstMessage,
  readCString,
  readStartupParameters,
  renameStatement,
} from './wire-messages.ts';

export type WireConnectionDeps = Readonly<{
  socket: Socket;
  /** Unique among the connections of the session; makes names of prepared statements unique. */
  id: number;
  password: string;
  /** What the session answers to a startup packet after authentication. */
  greeting: Buffer;
  queue: SessionQueue;
  run: RunBatch;
  /** Called with a NotificationResponse that any batch produced. */
  onNotification(message: Buffer): void;
}>;

export type WireConnection = Readonly<{
  /**
   * Passes a NotificationResponse on if this client has ever sent LISTEN. Channels belong to the shared session,
   * so it also gets those of other listeners; clients filter by channel.
   */
  notify(message: Buffer): void;
  /** Ends the connection as a server that shuts down does. */
  shutdown(): void;
  /** Resolves when the socket is gone and what it left in the session has been cleared. */
  closed: Promise<void>;
}>;

const AUTHENTICATION_CLEARTEXT = encodeMessage('R', Buffer.from([0, 0, 0, 3]));
/** A client that announces more than this is broken; Postgres's own limit for a message is 1 GiB. */
const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;

/**
 * Speaks the wire protocol with one client: authenticates it, gathers its messages into batches that end with a
 * Query or a Sync, and runs each batch whole. Whole batches are what keeps clients apart that share a session:
 * Parse, Bind and Execute use the session's one unnamed statement, so another client's Parse between them would
 * swap the statement.
 */
export function createWireConnection(deps: WireConnectionDeps): WireConnection {
  const { socket, queue } = deps;
  const owner = {};
  const statements = new Set<string>();
  let state: 'new' | 'authenticating' | 'ready' = 'new';
  let buffered: Buffer = Buffer.alloc(0);
  let batch: Buffer[] = [];
  let listening = false;
  let workClass: WorkClass = 'background';

  socket.setNoDelay(true);
  // A reset by the client ends in 'close' like every other end.
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]);
    if (state === 'new') readFirst();
    if (state !== 'new') readTyped();
  });
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve(clearSession()));
  });

  function readFirst(): void {
    for (let first = parseFirstMessage(buffered); ; first = parseFirstMessage(buffered)) {
      if (first.kind === 'incomplete') return;
      const message = buffered.subarray(0, first.length);
      buffered = buffered.subarray(first.length);
      if (first.kind === 'encryption') {
        socket.write('N');
      } else if (first.kind === 'cancel') {
        socket.end();
        return;
      } else {
        state = 'authenticating';
        workClass = workClassOf(readStartupParameters(message).get('application_name'));
        socket.write(AUTHENTICATION_CLEARTEXT);
        return;
      }
    }
  }

  function readTyped(): void {
    for (let length = messageLength(buffered); length !== undefined; length = messageLength(buffered)) {
      const message = buffered.subarray(0, length);
      buffered = buffered.subarray(length);
      if (!accept(message)) return;
    }
    if (buffered.length >= 5 && buffered.readInt32BE(1) > MAX_MESSAGE_BYTES) {
      end('08P01', 'message too long');
    }
  }

  /** False when the connection is over. */
  function accept(message: Buffer): boolean {
    const type = String.fromCharCode(message[0] ?? 0);
    if (state === 'authenticating') return authenticate(type, message);
    if (type === 'X') {
      socket.end();
      return false;
    }
    batch.push(renameStatement(message, ownName));
    if (type === 'Q' || type === 'S') {
      const whole = Buffer.concat(batch);
      batch = [];
      queue.enqueue({ owner, workClass, run: () => runBatch(whole) }).catch(refuse);
    }
    return true;
  }

  /** A batch was not run: it waited too long, or this connection or the session is gone, which ends the socket. */
  function refuse(error: unknown): void {
    if (!(error instanceof WaitedTooLong)) return end('57P01', 'the database has stopped');
    if (!socket.destroyed) socket.write(encodeRefusal('57014', 'the search waited too long'));
  }

  function authenticate(type: string, message: Buffer): boolean {
    const given = Buffer.from(readCString(message, 5).text);
    const expected = Buffer.from(deps.password);
    if (type !== 'p' || given.length !== expected.length || !timingSafeEqual(given, expected)) {
      end('28P01', 'password authentication failed');
      return false;
    }
    state = 'ready';
    socket.write(deps.greeting);
    return true;
  }

  async function runBatch(whole: Buffer): Promise<SessionStatus> {
    const chunks: Buffer[] = [];
    await deps.run(whole, (data) => chunks.push(data));
    const { answer, notifications, status, listens } = splitAnswer(Buffer.concat(chunks));
    listening ||= listens;
    if (!socket.destroyed) socket.write(answer);
    notifications.forEach(deps.onNotification);
    return status;
  }

  /** Leaves nothing behind in the shared session: no open transaction, no prepared statement. */
  async function clearSession(): Promise<void> {
    queue.forget(owner);
    const cleanup = [
      ...(queue.holds(owner) ? [encodeMessage('Q', cString('rollback'))] : []),
      ...(statements.size > 0 ? [closeStatements([...statements])] : []),
    ];
    for (const message of cleanup) {
      await queue.enqueue({ owner, run: () => runBatch(message) }).catch(() => undefined);
    }
  }

  function ownName(name: string): string {
    const own = `c${deps.id}_${name}`;
    statements.add(own);
    return own;
  }

  function end(sqlState: string, message: string): void {
    if (!socket.destroyed) socket.end(encodeFatal(sqlState, message));
  }

  return {
    notify(message) {
      if (listening && !socket.destroyed) socket.write(message);
    },
    shutdown() {
      end('57P01', 'the database is shutting down');
      socket.destroySoon();
    },
    closed,
  };
}

/** By the names that services give their pools. */
function workClassOf(applicationName: string | undefined): WorkClass {
  if (applicationName === 'factmill-gateway') return 'accepting';
  return applicationName === 'factmill-retrieval' ? 'searching' : 'background';
}

/** Closing a statement that was never prepared is not an error, as DEALLOCATE would be. */
function closeStatements(names: readonly string[]): Buffer {
  const closes = names.map((name) => encodeMessage('C', Buffer.concat([Buffer.from('S'), cString(name)])));
  return Buffer.concat([...closes, encodeMessage('S', Buffer.alloc(0))]);
}

type Answer = Readonly<{ answer: Buffer; notifications: Buffer[]; status: SessionStatus; listens: boolean }>;

/**
 * Takes the notifications out of an answer, reads the transaction status from its last ReadyForQuery, and sees
 * whether a LISTEN was completed in it.
 */
function splitAnswer(raw: Buffer): Answer {
  const notifications: Buffer[] = [];
  const rest: Buffer[] = [];
  let status: SessionStatus = 'idle';
  let listens = false;
  let offset = 0;
  let keptFrom = 0;
  for (let length = messageLength(raw); length !== undefined; length = messageLength(raw.subarray(offset))) {
    const type = raw[offset];
    if (type === 0x41 /* A, NotificationResponse */) {
      rest.push(raw.subarray(keptFrom, offset));
      notifications.push(raw.subarray(offset, offset + length));
      keptFrom = offset + length;
    } else if (type === 0x5a /* Z, ReadyForQuery */) {
      const flag = raw[offset + 5];
      status = flag === 0x54 /* T */ ? 'open' : flag === 0x45 /* E */ ? 'failed' : 'idle';
    }
    if (type === 0x43 /* C, CommandComplete */ && readCString(raw, offset + 5).text === 'LISTEN')
      listens = true;
    offset += length;
  }
  rest.push(raw.subarray(keptFrom));
  return { answer: Buffer.concat(rest), notifications, status, listens };
}
