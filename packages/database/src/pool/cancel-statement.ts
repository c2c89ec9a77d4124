import { type ClientConfig, Connection, type PoolClient } from 'pg';

/** What pg's clients and connections have, but its types do not tell. */
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
 * Asks the server to end the statement that runs on a connection, by a CancelRequest of the protocol: it needs no login
 * and no free connection, and PgBouncer passes it on in every mode. (pg's own `cancel` does not do TLS.)
 *
 * Resolves, never rejects, to whether the server has taken the request. It has then signalled the statement; one that
 * is sent to the connection after that is not meant any more. The server does not say whether there was one to end.
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
    // The server closes the connection when it has passed the signal on.
    connection.once('end', () => {
      clearTimeout(timer);
      resolve(isSent && !isFailed);
    });
    if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`);
    else connection.connect(port, host);
  });
}
