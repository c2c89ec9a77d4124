import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A certificate and its key in PEM form, with the files that hold them. */
type Certificate = Readonly<{ cert: string; key: string; certFile: string; keyFile: string }>;

export type TestCertificates = Readonly<{ ca: Certificate; server: Certificate; client: Certificate }>;

/**
 * An authority, and certificates that it has signed, in an existing folder: of a server at 127.0.0.1, and of a client
 * by the name of `postgres`. They are valid for a day.
 */
export async function createCertificates(dir: string): Promise<TestCertificates> {
  const create = async (name: string, subject: string, ...args: string[]): Promise<Certificate> => {
    const [certFile, keyFile] = [join(dir, `${name}.pem`), join(dir, `${name}.key`)];
    await run('openssl', [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '1',
      '-subj',
      `/CN=${subject}`,
      '-out',
      certFile,
      '-keyout',
      keyFile,
      ...args,
    ]);
    const [cert, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')]);
    return { cert, key, certFile, keyFile };
  };
  const ca = await create('ca', 'factmill-test');
  const signed = ['-CA', ca.certFile, '-CAkey', ca.keyFile, '-addext', 'basicConstraints=critical,CA:FALSE'];
  const [server, client] = await Promise.all([
    create('server', 'localhost', ...signed, '-addext', 'subjectAltName=IP:127.0.0.1'),
    create('client', 'postgres', ...signed),
  ]);
  return { ca, server, client };
}
