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
  /** Unique within the session; part of the names of prepared statements. */
  id: number;
  password: string;
  /** The session's answer to a startup packet after authentication. */
  greeting: Buffer;
  queue: SessionQueue;
  run: RunBatch;
  /** Called with each NotificationResponse, from any batch. */
  onNotification(message: Buffer): void;
}>;

export type WireConnection = Readonly<{
  /**
   * Forwards a NotificationResponse if this client has ever sent LISTEN. Channels belong to the shared session, so
   * the client also gets those of other listeners; clients filter by channel.
   */
  notify(message: Buffer): void;
  /** Ends the connection as a server that shuts down does. */
  shutdown(): void;
  /** Resolves when the socket is closed and its state in the session is cleared. */
  closed: Promise<void>;
}>;

const AUTHENTICATION_CLEARTEXT = encodeMessage('R', Buffer.from([0, 0, 0, 3]));
/** A client that announces a larger message is broken; Postgres's own limit is 1 GiB. */
const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;

/**
 * Speaks the wire protocol with one client: authenticates it, collects its messages into batches that end with a
 * Query or a Sync, and runs each batch as a whole. Whole batches keep the clients of one session apart: Parse, Bind
 * and Execute use the session's one unnamed statement, so another client's Parse between them would replace it.
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

  /** False when the connection has ended. */
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

  /**
   * Answers a batch that was not run: it waited too long, or the connection or the session has ended, which closes
   * the socket.
   */
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

  /** Clears this client's state in the shared session: open transaction and prepared statements. */
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

/** By the application names of the services' pools. */
function workClassOf(applicationName: string | undefined): WorkClass {
  if (applicationName === 'factmill-gateway') return 'accepting';
  return applicationName === 'factmill-retrieval' ? 'searching' : 'background';
}

/** Closes statements with Close messages: unlike DEALLOCATE, they do not fail for an unknown name. */
function closeStatements(names: readonly string[]): Buffer {
  const closes = names.map((name) => encodeMessage('C', Buffer.concat([Buffer.from('S'), cString(name)])));
  return Buffer.concat([...closes, encodeMessage('S', Buffer.alloc(0))]);
}

type Answer = Readonly<{ answer: Buffer; notifications: Buffer[]; status: SessionStatus; listens: boolean }>;

/**
 * Separates the notifications from an answer, and reads the transaction status of its last ReadyForQuery and whether
 * a LISTEN was completed.
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
