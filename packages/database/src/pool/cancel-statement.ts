import { type ClientConfig, Connection, type PoolClient } from 'pg';

/** Fields of pg's clients and connections that its types omit. */
type Addressed = Omit<PoolClient, 'ssl'> &
  Readonly<{
    processID: number;
    secretKey: number;
    ssl: NonNullable<ClientConfig['ssl']>;
    sslNegotiation: NonNullable<ClientConfig['sslnegotiation']>;
  }>;
type CancelConnection = Connection &
  Readonly<{
    connect: (portOrPath: number | string, host?: string) => void;
    requestSsl: () => void;
    cancel: (processId: number, secretKey: number) => void;
  }>;

/**
 * Asks the server to end the statement that runs on a connection, by a CancelRequest of the protocol. That needs no
 * login and no free connection, and PgBouncer forwards it in every mode. (pg's own `cancel` does not support TLS.)
 *
 * Never rejects; resolves to whether the server has accepted the request. The statement has then been signalled; a
 * later statement on the connection is safe. The server does not say whether there was a statement to end.
 */
export function cancelStatement(client: PoolClient, timeoutMs: number): Promise<boolean> {
  const { host, port, processID, secretKey, ssl, sslNegotiation } = client as unknown as Addressed;
  const connection = new Connection({ ssl, sslNegotiation } as ClientConfig) as CancelConnection;
  return new Promise((resolve) => {
    let isSent = false;
    let isFailed = false;
    const fail = (): void => {
      isFailed = true;
      connection.stream.destroy();
    };
    const send = (): void => {
      isSent = true;
      connection.cancel(processID, secretKey);
    };
    const timer = setTimeout(fail, timeoutMs).unref();
    connection.on('error', fail);
    connection.once('connect', () => {
      if (ssl === false) send();
      else if (sslNegotiation !== 'direct') connection.requestSsl();
    });
    connection.once('sslconnect', send);
    // The server closes the connection after it has sent the signal.
    connection.once('end', () => {
      clearTimeout(timer);
      resolve(isSent && !isFailed);
    });
    if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`);
    else connection.connect(port, host);
  });
}
