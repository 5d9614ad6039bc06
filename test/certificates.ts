/** Real certificates, made by openssl in a temporary folder that is removed at exit. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** Made on first use: all of them take 15 processes, and most tests need two. */
export class Certificates {
  readonly #made = new Map<string, Pair>();

  constructor(readonly folder: string) {}

  get authority(): Pair {
    return this.#alone('authority');
  }

  /** For localhost and 127.0.0.1, signed by `authority`. */
  get server(): Pair {
    return this.#signed('server', 'DNS:localhost,IP:127.0.0.1', lastsAYear);
  }

  /** Signed by `authority`. */
  get client(): Pair {
    return this.#signed('client', 'DNS:client', lastsAYear);
  }

  /** Self-signed. */
  get stranger(): Pair {
    return this.#alone('stranger');
  }

  /** Expired in 2020. */
  get expired(): Pair {
    return this.#signed('expired', 'DNS:localhost', ['-startdate', '20200101000000Z', '-enddate', '20200201000000Z']);
  }

  /** Valid from 2090. */
  get early(): Pair {
    return this.#signed('early', 'DNS:localhost', ['-startdate', '20900101000000Z', '-enddate', '20910101000000Z']);
  }

  /** With a key too short for any current library. */
  get weak(): Pair {
    return this.#alone('weak', ['-newkey', 'rsa:512', '-nodes']);
  }

  /** The key of `server`, encrypted with a passphrase. */
  get encryptedKey(): string {
    const file = join(this.folder, 'encrypted.key');
    this.#openssl('pkcs8', '-topk8', '-in', this.server.key, '-out', file, '-passout', 'pass:secret');
    return file;
  }

  /** The certificate of `server` in DER. */
  get der(): string {
    const file = join(this.folder, 'server.der');
    this.#openssl('x509', '-in', this.server.cert, '-outform', 'der', '-out', file);
    return file;
  }

  #alone(name: string, newKey: readonly string[] = elliptic): Pair {
    return this.#once(name, ({ cert, key }) => {
      this.#openssl('req', '-x509', ...newKey, '-keyout', key, '-out', cert, ...lastsAYear, '-subj', `/CN=${name}`);
    });
  }

  #signed(name: string, names: string, dates: readonly string[]): Pair {
    return this.#once(name, ({ cert, key }) => {
      this.#openssl('req', ...elliptic, '-keyout', key, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
      writeFileSync(join(this.folder, `${name}.cnf`), authorityConfig(this.folder, name, this.authority, names));
      mkdirSync(join(this.folder, `${name}.new`));
      writeFileSync(join(this.folder, `${name}.index`), '');
      const files = ['-config', `${name}.cnf`, '-in', `${name}.csr`, '-out', cert];
      this.#openssl('ca', '-batch', '-rand_serial', ...files, '-notext', ...dates);
    });
  }

  #once(name: string, make: (pair: Pair) => void): Pair {
    const known = this.#made.get(name);
    if (known !== undefined) return known;
    const pair = { cert: join(this.folder, `${name}.pem`), key: join(this.folder, `${name}.key`) };
    make(pair);
    this.#made.set(name, pair);
    return pair;
  }

  #openssl(...args: string[]): void {
    execFileSync('openssl', args, { cwd: this.folder, stdio: 'pipe' });
  }
}

const elliptic = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const lastsAYear = ['-days', '365'];

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
  // Before leftovers.mjs checks.
  process.prependListener('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  return new Certificates(folder);
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
