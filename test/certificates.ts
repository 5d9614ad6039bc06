/** Real certificates, made by openssl in a folder of their own, which is removed when the process ends. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Pair {
  readonly cert: string;
  readonly key: string;
}

export interface Certificates {
  readonly folder: string;
  /** For localhost and 127.0.0.1, signed by `authority`. */
  readonly server: Pair;
  readonly authority: Pair;
  /** Signed by `authority`. */
  readonly client: Pair;
  /** Signed by itself. */
  readonly stranger: Pair;
  /** Until 2020. */
  readonly expired: Pair;
  /** From 2090 on. */
  readonly early: Pair;
  /** The key of `server` behind a passphrase. */
  readonly encryptedKey: string;
  /** The certificate of `server` as DER. */
  readonly der: string;
  /** With a key so short that no library accepts it any more. */
  readonly weak: Pair;
}

let made: Certificates | undefined | 'none';

/** Undefined without openssl: the tests then say why they are skipped. */
export function certificates(): Certificates | undefined {
  made ??= make() ?? 'none';
  return made === 'none' ? undefined : made;
}

export const withoutOpenssl = 'openssl is not here';

function make(): Certificates | undefined {
  try {
    execFileSync('openssl', ['version']);
  } catch {
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), 'certificates-'));
  process.on('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  const openssl = (...args: string[]): void => {
    execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  };
  const pair = (name: string): Pair => ({ cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) });
  const elliptic = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const alone = (name: string, key: readonly string[] = elliptic): Pair => {
    const { cert, key: keyFile } = pair(name);
    openssl('req', '-x509', ...key, '-keyout', keyFile, '-out', cert, '-days', '365', '-subj', `/CN=${name}`);
    return pair(name);
  };
  const authority = alone('authority');
  const signed = (name: string, names: string, from?: string, to?: string): Pair => {
    const { cert, key } = pair(name);
    openssl('req', ...elliptic, '-keyout', key, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    const dates = from === undefined || to === undefined ? ['-days', '365'] : ['-startdate', from, '-enddate', to];
    writeFileSync(join(folder, `${name}.cnf`), authorityConfig(folder, name, authority, names));
    mkdirSync(join(folder, `${name}.new`));
    writeFileSync(join(folder, `${name}.index`), '');
    openssl(
      'ca',
      '-batch',
      '-rand_serial',
      '-config',
      `${name}.cnf`,
      '-in',
      `${name}.csr`,
      '-out',
      cert,
      '-notext',
      ...dates,
    );
    return { cert, key };
  };
  const server = signed('server', 'DNS:localhost,IP:127.0.0.1');
  openssl('pkcs8', '-topk8', '-in', server.key, '-out', 'encrypted.key', '-passout', 'pass:secret');
  openssl('x509', '-in', server.cert, '-outform', 'der', '-out', 'server.der');
  return {
    folder,
    server,
    authority,
    client: signed('client', 'DNS:client'),
    stranger: alone('stranger'),
    expired: signed('expired', 'DNS:localhost', '20200101000000Z', '20200201000000Z'),
    early: signed('early', 'DNS:localhost', '20900101000000Z', '20910101000000Z'),
    encryptedKey: join(folder, 'encrypted.key'),
    der: join(folder, 'server.der'),
    weak: alone('weak', ['-newkey', 'rsa:512', '-nodes']),
  };
}

function authorityConfig(folder: string, name: string, { cert, key }: Pair, names: string): string {
  return `[ca]
default_ca = one
[one]
database = ${join(folder, `${name}.index`)}
new_certs_dir = ${join(folder, `${name}.new`)}
certificate = ${cert}
private_key = ${key}
rand_serial = yes
default_md = sha256
policy = any
x509_extensions = extensions
[any]
commonName = supplied
[extensions]
subjectAltName = ${names}
`;
}

/** The text of a file that was made. */
export function pem(file: string): string {
  return readFileSync(file, 'utf8');
}
